import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../common/public.decorator';
import { ApiProbe } from './health.docs';
import { CallPolicy } from '../resilience/call-policy';
import { CredentialState } from '../shipping/gateway/credentials/credential-state';
import { ConnectionState } from '../shipping/gateway/transport/connection-state';
import { LiveReport, ReadyReport } from './health.reports';
import { Lifecycle } from './lifecycle';

const IDLE = { circuits: { paged: 'closed' }, inFlight: 0, waiting: 0, connectionError: null, credentialRefusals: {} };

/** Probes for an orchestrator. */
@Public()
@ApiTags('Operation')
@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
    private readonly connections: ConnectionState,
    private readonly credentials: CredentialState,
  ) {}

  @Get('live')
  @ApiProbe({
    summary: 'Whether the process is alive',
    description: 'Responds as long as the process can. Where it does not respond, restart it.',
    type: LiveReport,
    reports: { 200: { description: 'The process responds.', body: { status: 'ok' } } },
  })
  getLiveness(): LiveReport {
    return { status: 'ok' };
  }

  /** Independent of the external system: removing a replica would not help. */
  @Get('ready')
  @ApiProbe({
    summary: 'Whether the service may receive traffic',
    description: 'Not while starting or draining. The state of the external system is reported, and does not matter.',
    type: ReadyReport,
    reports: {
      200: { description: 'Started and not draining.', body: { status: 'ready', externalSystem: IDLE } },
      503: { description: 'Starting or draining.', body: { status: 'draining', externalSystem: IDLE } },
    },
  })
  getReadiness(@Res({ passthrough: true }) reply: FastifyReply): ReadyReport {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    const connectionError = this.connections.error ?? null;
    const credentialRefusals = this.credentials.refusals;
    return { status: state, externalSystem: { ...this.policy.state, connectionError, credentialRefusals } };
  }
}

import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../common/public.decorator';
import { ApiProbe } from './health.docs';
import { CallPolicy } from '../resilience/call-policy';
import { LiveReport, ReadyReport } from './health.reports';
import { Lifecycle } from './lifecycle';

const IDLE = { circuits: { paged: 'closed' } };

/** Probes for an orchestrator. */
@Public()
@ApiTags('Operation')
@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
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
    return { status: state, externalSystem: { circuits: this.policy.state.circuits } };
  }
}

import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { ApiProbe } from '../docs/api-probe.decorator';
import { CallPolicy } from '../shipping/gateway/policy/call-policy';
import { LiveReport, ReadyReport } from './health.reports';
import { Lifecycle } from './lifecycle';

const AT_REST = { circuit: 'closed', inFlight: 0, waiting: 0 };

/** What an orchestrator asks: is the process alive, may it get traffic. */
@ApiTags('Operation')
@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
  ) {}

  @Get('live')
  @ApiProbe({
    operationId: 'getLiveness',
    summary: 'Whether the process is alive',
    description: 'Answers as long as the process can. Where it does not, restart it.',
    type: LiveReport,
    answers: { 200: { description: 'The process answers.', example: { status: 'ok' } } },
  })
  live(): LiveReport {
    return { status: 'ok' };
  }

  /** Does not depend on the external system: taking a replica out of service would not mend that. */
  @Get('ready')
  @ApiProbe({
    operationId: 'getReadiness',
    summary: 'Whether the service may get traffic',
    description: 'Starting and draining it may not. How the external system fares is told, and changes nothing.',
    type: ReadyReport,
    answers: {
      200: { description: 'Started and not draining.', example: { status: 'ready', externalSystem: AT_REST } },
      503: { description: 'Starting or draining.', example: { status: 'draining', externalSystem: AT_REST } },
    },
  })
  ready(@Res({ passthrough: true }) reply: FastifyReply): ReadyReport {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: state, externalSystem: this.policy.state };
  }
}

import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Public } from '../common/public.decorator';
import { ApiOtherProblems } from '../openapi/problem-response';
import { CallPolicy } from '../resilience/call-policy';
import { LiveReport, ReadyReport } from './health.reports';
import { Lifecycle } from './lifecycle';

/** Probes for an orchestrator. */
@Public()
@ApiTags('Operation')
@ApiOtherProblems()
@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
  ) {}

  @Get('live')
  @ApiOperation({
    summary: 'Whether the process is alive',
    description: 'Responds as long as the process can. Where it does not respond, restart it.',
  })
  @ApiOkResponse({ description: 'The process responds.', type: LiveReport })
  getLiveness(): LiveReport {
    return { status: 'ok' };
  }

  /** Independent of the external system: removing a replica would not help. */
  @Get('ready')
  @ApiOperation({
    summary: 'Whether the service may receive traffic',
    description: 'Not while starting or draining. The state of the external system is reported, and does not matter.',
  })
  @ApiOkResponse({ description: 'Started and not draining.', type: ReadyReport })
  @ApiServiceUnavailableResponse({ description: 'Starting or draining.', type: ReadyReport })
  getReadiness(@Res({ passthrough: true }) reply: FastifyReply): ReadyReport {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: state, externalSystem: { circuits: this.policy.state.circuits } };
  }
}

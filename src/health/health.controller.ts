import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { CallPolicy } from '../shipping/gateway/policy/call-policy';
import { LiveReport, ReadyReport } from './health.reports';
import { Lifecycle } from './lifecycle';

/** What an orchestrator asks: is the process alive, may it get traffic. */
@ApiTags('Operation')
@Controller('health')
export class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
  ) {}

  @Get('live')
  @ApiOperation({ operationId: 'getLiveness', summary: 'Whether the process is alive' })
  @ApiOkResponse({ type: LiveReport, description: 'The process answers.' })
  live(): LiveReport {
    return { status: 'ok' };
  }

  /** Does not depend on the external system: taking a replica out of service would not mend that. */
  @Get('ready')
  @ApiOperation({ operationId: 'getReadiness', summary: 'Whether the service may get traffic' })
  @ApiOkResponse({ type: ReadyReport, description: 'Started and not draining.' })
  @ApiServiceUnavailableResponse({ type: ReadyReport, description: 'Starting or draining.' })
  ready(@Res({ passthrough: true }) reply: FastifyReply): ReadyReport {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(HttpStatus.SERVICE_UNAVAILABLE);
    return { status: state, externalSystem: this.policy.state };
  }
}

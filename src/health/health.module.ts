import { Controller, Get, Injectable, Module, type OnModuleDestroy, Req, Res, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManagementRoute, Public } from '../common/route-metadata';
import { ApiOtherProblems } from '../openapi/problem-response';
import { CallPolicy } from '../resilience/call-policy';
import type { CircuitState } from '../resilience/circuit-breaker';
import { GatewayModule } from '../shipping/gateway/gateway.module';
import { ManagementPort } from './management-port';

const LIFECYCLE_STATES = ['starting', 'ready', 'draining'] as const;
type LifecycleState = (typeof LIFECYCLE_STATES)[number];

/** The state of the process. Readiness reports it, and the graceful shutdown sets it. */
@Injectable()
export class Lifecycle implements OnModuleDestroy {
  state: LifecycleState = 'starting';

  /** A process that is stopped while it starts stays draining. */
  started(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  onModuleDestroy(): void {
    this.state = 'draining';
  }
}

class LiveReport {
  @ApiProperty({ enum: ['ok'], description: 'Always the same', example: 'ok' })
  status: 'ok';
}

class ExternalSystemReport {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: ['closed', 'half-open', 'open'] satisfies CircuitState[] },
    description:
      'State of the circuit breaker of each operation that was called. Open: calls are refused; half-open: one call probes the external system',
    example: { paged: 'closed' },
  })
  circuits: Readonly<Record<string, CircuitState>>;
}

class ReadyReport {
  @ApiProperty({ enum: LIFECYCLE_STATES, description: 'State of the process', example: 'ready' })
  status: LifecycleState;

  @ApiProperty({
    type: () => ExternalSystemReport,
    required: false,
    description:
      'For information; readiness does not depend on it. With `MANAGEMENT_PORT`, it is sent on that port alone',
  })
  externalSystem?: ExternalSystemReport;
}

/**
 * Probes for an orchestrator. The methods send their responses themselves: an application that extends the service may
 * have interceptors that change what routes return, and an orchestrator has to get these bodies unchanged.
 */
@Public()
@ApiTags('Operation')
@ApiOtherProblems()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
    private readonly management: ManagementPort,
  ) {}

  @Get('live')
  @ManagementRoute('/health/live', { onEveryPort: true })
  @ApiOperation({
    summary: 'Whether the process is alive',
    description: 'Responds as long as the process can. Where it does not respond, restart it.',
  })
  @ApiOkResponse({ description: 'The process responds.', type: LiveReport })
  getLiveness(@Res() reply: FastifyReply): void {
    reply.send({ status: 'ok' } satisfies LiveReport);
  }

  /**
   * The state of the external system does not change the status: otherwise its outage would make every replica unready,
   * and no replica could respond to clients.
   */
  @Get('ready')
  @ManagementRoute('/health/ready', { onEveryPort: true })
  @ApiOperation({
    summary: 'Whether the service may receive traffic',
    description: 'Not while starting or draining. The state of the external system is reported, and does not matter.',
  })
  @ApiOkResponse({ description: 'Started and not draining.', type: ReadyReport })
  @ApiServiceUnavailableResponse({ description: 'Starting or draining.', type: ReadyReport })
  getReadiness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(503);
    const isShown = this.management.showsDetails(request);
    const externalSystem = isShown ? { circuits: this.policy.state.circuits } : undefined;
    reply.send({ status: state, externalSystem } satisfies ReadyReport);
  }
}

/** Serves the probes of an orchestrator, and provides the state of the process. */
@Module({
  imports: [GatewayModule],
  controllers: [HealthController],
  providers: [Lifecycle, ManagementPort],
  exports: [Lifecycle, ManagementPort],
})
export class HealthModule {}

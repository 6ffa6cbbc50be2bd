import { Controller, Injectable, Module, type OnModuleDestroy, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManagementRoute } from '../common/route-metadata';
import { CallPolicy } from '../resilience/call-policy';
import { GatewayModule } from '../shipping/gateway/gateway.module';
import { ManagementPort } from './management-port';

/** The state of the process. Readiness reports it, and the graceful shutdown sets it. */
@Injectable()
export class Lifecycle implements OnModuleDestroy {
  state: 'starting' | 'ready' | 'draining' = 'starting';

  /** A process that is stopped while it starts stays draining. */
  started(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  onModuleDestroy(): void {
    this.state = 'draining';
  }
}

/**
 * Probes for an orchestrator. The methods send their responses themselves: an application that extends the service may
 * have interceptors that change what routes return, and an orchestrator has to get these bodies unchanged.
 */
@Controller()
class HealthController {
  constructor(
    private readonly lifecycle: Lifecycle,
    private readonly policy: CallPolicy,
    private readonly management: ManagementPort,
  ) {}

  @ManagementRoute('/health/live', { onEveryPort: true })
  getLiveness(@Res() reply: FastifyReply): void {
    reply.send({ status: 'ok' });
  }

  /**
   * The state of the external system does not change the status: otherwise its outage would make every replica unready,
   * and no replica could respond to clients.
   */
  @ManagementRoute('/health/ready', { onEveryPort: true })
  getReadiness(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    const { state } = this.lifecycle;
    if (state !== 'ready') reply.status(503);
    const isShown = this.management.showsDetails(request);
    reply.send({ status: state, externalSystem: isShown ? { circuits: this.policy.state.circuits } : undefined });
  }
}

/** Serves the probes of an orchestrator, and provides the state of the process. */
@Module({ imports: [GatewayModule], controllers: [HealthController], providers: [Lifecycle, ManagementPort] })
export class HealthModule {}

import { Module } from '@nestjs/common';
import { GatewayModule } from '../shipping/gateway/gateway.module';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle';

/** Serves the probes of an orchestrator, and provides the state of the process. */
@Module({ imports: [GatewayModule], controllers: [HealthController], providers: [Lifecycle], exports: [Lifecycle] })
export class HealthModule {}

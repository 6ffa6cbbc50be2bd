import { Module } from '@nestjs/common';
import { GatewayModule } from '../shipping/gateway/gateway.module';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle';

/** Probes for an orchestrator. */
@Module({ imports: [GatewayModule], controllers: [HealthController], providers: [Lifecycle], exports: [Lifecycle] })
export class HealthModule {}

import { type DynamicModule, Module } from '@nestjs/common';
import { SandboxController } from './sandbox.controller';
import { ShippingRepository } from './shipping.repository';

/** The stand-in external shipping system, over a repository that is built beforehand. */
@Module({})
export class SandboxModule {
  static over(repository: ShippingRepository): DynamicModule {
    return {
      module: SandboxModule,
      controllers: [SandboxController],
      providers: [{ provide: ShippingRepository, useValue: repository }],
    };
  }
}

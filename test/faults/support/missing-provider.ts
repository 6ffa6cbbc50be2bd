// Loaded before the service by a test: a controller of a team needs a provider that nobody has.
import { Controller, Inject } from '@nestjs/common';
import { AppModule } from '../../../src/app.module';

@Controller('carriers')
class CarrierController {
  constructor(@Inject('carriers') readonly carriers: unknown) {}
}

Reflect.defineMetadata('controllers', [CarrierController], AppModule);

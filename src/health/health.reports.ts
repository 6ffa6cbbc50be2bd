import { ApiProperty } from '@nestjs/swagger';
import { LIFECYCLE_STATES, type LifecycleState } from './lifecycle';

const CIRCUIT_STATES = ['closed', 'half-open', 'open'] as const;

/** Answer of the liveness probe. */
export class LiveReport {
  @ApiProperty({ enum: ['ok'], description: 'Always the same', example: 'ok' })
  status: 'ok';
}

/** How the calls to the external system go. */
export class ExternalSystemReport {
  @ApiProperty({
    enum: CIRCUIT_STATES,
    description: 'Open: calls are refused until it is tried again; half-open: it is being tried',
    example: 'closed',
  })
  circuit: (typeof CIRCUIT_STATES)[number];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 10_000,
    description: 'Calls in flight',
    example: 3,
  })
  inFlight: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 1_000_000,
    description: 'Calls waiting for a place',
    example: 0,
  })
  waiting: number;
}

/** Answer of the readiness probe. */
export class ReadyReport {
  @ApiProperty({ enum: LIFECYCLE_STATES, description: 'Where the process stands', example: 'ready' })
  status: LifecycleState;

  @ApiProperty({ type: () => ExternalSystemReport, description: 'For information; readiness does not depend on it' })
  externalSystem: ExternalSystemReport;
}

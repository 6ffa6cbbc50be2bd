import { ApiProperty } from '@nestjs/swagger';
import { LIFECYCLE_STATES, type LifecycleState } from './lifecycle';

const CIRCUIT_STATES = ['closed', 'half-open', 'open'] as const;

/** Response of the liveness probe. */
export class LiveReport {
  @ApiProperty({ enum: ['ok'], description: 'Always the same', example: 'ok' })
  status: 'ok';
}

/** The circuits of the external system. */
export class ExternalSystemReport {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...CIRCUIT_STATES] },
    description:
      'State of the circuit breaker of each operation that was called. Open: calls are refused; half-open: one call probes the external system',
    example: { paged: 'closed' },
  })
  circuits: Readonly<Record<string, (typeof CIRCUIT_STATES)[number]>>;
}

/** Response of the readiness probe. */
export class ReadyReport {
  @ApiProperty({ enum: LIFECYCLE_STATES, description: 'State of the process', example: 'ready' })
  status: LifecycleState;

  @ApiProperty({ type: () => ExternalSystemReport, description: 'For information; readiness does not depend on it' })
  externalSystem: ExternalSystemReport;
}

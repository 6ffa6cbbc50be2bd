import { ApiProperty } from '@nestjs/swagger';
import { REFUSAL_STATUSES } from '../shipping/gateway/credentials/credential-state';
import { LIFECYCLE_STATES, type LifecycleState } from './lifecycle';

const CIRCUIT_STATES = ['closed', 'half-open', 'open'] as const;

/** Response of the liveness probe. */
export class LiveReport {
  @ApiProperty({ enum: ['ok'], description: 'Always the same', example: 'ok' })
  status: 'ok';
}

/** The state of the calls to the external system. */
export class ExternalSystemReport {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...CIRCUIT_STATES] },
    description:
      'State of the circuit breaker of each operation that was called. Open: calls are refused; half-open: some calls probe the external system',
    example: { paged: 'closed' },
  })
  circuits: Readonly<Record<string, (typeof CIRCUIT_STATES)[number]>>;

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
    description: 'Calls waiting for a slot',
    example: 0,
  })
  waiting: number;

  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: 64,
    description: 'Code of the last failed connection, such as `ECONNREFUSED`; `null` while connections succeed',
    example: null,
  })
  connectionError: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      type: 'integer',
      format: 'int32',
      minimum: 401,
      maximum: 403,
      enum: [...REFUSAL_STATUSES],
    },
    description:
      'Status of each operation for which the external system refuses the credentials of the service; empty while it accepts them',
    example: {},
  })
  credentialRefusals: Readonly<Record<string, number>>;
}

/** Response of the readiness probe. */
export class ReadyReport {
  @ApiProperty({ enum: LIFECYCLE_STATES, description: 'State of the process', example: 'ready' })
  status: LifecycleState;

  @ApiProperty({ type: () => ExternalSystemReport, description: 'For information; readiness does not depend on it' })
  externalSystem: ExternalSystemReport;
}

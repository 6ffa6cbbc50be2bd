import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FIRST_RECORDS, toSummary } from './records';

type Failure = (reply: FastifyReply) => unknown;

/** By the identifiers, order ids, tracking numbers and search terms that ask for them. */
const FAILURES: Readonly<Record<string, Failure>> = {
  'SIMULATE-500': (reply) => reply.status(500).send(),
  'SIMULATE-503': (reply) => reply.status(503).header('Retry-After', '1').send(),
  'SIMULATE-NOT-FOUND': (reply) => reply.status(404).send(),
  // At most twenty calls open the circuit.
  'SIMULATE-CIRCUIT-OPEN': (reply) => reply.status(501).send(),
  'SIMULATE-TIMEOUT': (reply) => reply.hijack(),
  'SIMULATE-RESET': (reply) => reply.hijack().request.socket.resetAndDestroy(),
  'SIMULATE-BAD-JSON': (reply) =>
    reply.type('application/json; charset=utf-8').send('{"Id":"SHP-000001","Items":[{"Id":'),
  'SIMULATE-BAD-SHAPE': (reply) => reply.send({ Unexpected: { Shape: true } }),
};

class SimulatedFailure extends Error {
  constructor(readonly failure: Failure) {
    super('Simulated failure');
  }
}

@Catch(SimulatedFailure)
export class SimulatedFailureFilter implements ExceptionFilter<SimulatedFailure> {
  catch({ failure }: SimulatedFailure, host: ArgumentsHost): void {
    failure(host.switchToHttp().getResponse<FastifyReply>());
  }
}

const MALFORMED = { Id: 'SHP-ODD-1', OrderId: { Number: 1 }, TotalWeight: 'heavy', CreatedDate: 'yesterday' };
const MALFORMED_RECORD = { ...FIRST_RECORDS[0], ...MALFORMED, ShippingItems: ['no item'] };
const SUMMARIES = FIRST_RECORDS.map(toSummary);
const MALFORMED_LIST = [SUMMARIES[0], { ...SUMMARIES[0], ...MALFORMED }, { ...SUMMARIES[0], Id: undefined }];

/** Simulates the error that a text asks for, or returns `undefined`. */
export function simulateError(
  texts: readonly (string | undefined)[],
  toList?: (records: readonly unknown[]) => unknown,
): unknown {
  if (texts.includes('SIMULATE-ODD-RECORD')) return toList?.(MALFORMED_LIST) ?? MALFORMED_RECORD;
  if (texts.includes('SIMULATE-SLOW')) {
    const body = toList?.(SUMMARIES) ?? FIRST_RECORDS[0];
    // Within the default deadline of an attempt, 2 seconds.
    return new Promise((resolve) => setTimeout(resolve, 1_500, body).unref());
  }
  const [, failure] = Object.entries(FAILURES).find(([name]) => texts.includes(name)) ?? [];
  if (failure) throw new SimulatedFailure(failure);
  return undefined;
}

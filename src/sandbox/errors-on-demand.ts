import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { FIRST_RECORDS, toSummary } from './records';

type Failure = (reply: FastifyReply) => unknown;

/**
 * The failures that a client can ask for, by the identifier, order id, tracking number or search term that names them.
 */
const FAILURES: Readonly<Record<string, Failure>> = {
  'SIMULATE-500': (reply) => reply.status(500).send(),
  'SIMULATE-503': (reply) => reply.status(503).header('Retry-After', '1').send(),
  'SIMULATE-NOT-FOUND': (reply) => reply.status(404).send(),
  // The service retries no 501, so that each request is one failed call, and twenty of them open its circuit.
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

/** The values of a record that the service cannot read (D19): each has a wrong type or form. */
const MALFORMED = { Id: 'SHP-ODD-1', OrderId: { Number: 1 }, TotalWeight: 'heavy', CreatedDate: 'yesterday' };
const MALFORMED_RECORD = { ...FIRST_RECORDS[0], ...MALFORMED, ShippingItems: ['no item'] };
const SUMMARIES = FIRST_RECORDS.map(toSummary);
const MALFORMED_LIST = [SUMMARIES[0], { ...SUMMARIES[0], ...MALFORMED }, { ...SUMMARIES[0], Id: undefined }];

/**
 * Simulates the error that one of the texts names.
 *
 * @param toList makes the body of a list from records; `undefined` for single lookups
 * @param id the requested identifier, which the record of a single lookup then has
 * @returns the body of a simulated response, a promise of a late one, or `undefined` where no text names an error
 * @throws SimulatedFailure where the response is no body, such as a status or a broken connection
 */
export function simulateError(
  texts: readonly (string | undefined)[],
  toList?: (records: readonly unknown[]) => unknown,
  id?: string,
): unknown {
  const found = (record: object | undefined): object => ({ ...record, ...(id !== undefined && { Id: id }) });
  if (texts.includes('SIMULATE-ODD-RECORD')) return toList?.(MALFORMED_LIST) ?? found(MALFORMED_RECORD);
  if (texts.includes('SIMULATE-SLOW')) {
    const body = toList?.(SUMMARIES) ?? found(FIRST_RECORDS[0]);
    // The default deadline of an attempt is 2 seconds: the response is slow, but arrives in time.
    return new Promise((resolve) => setTimeout(resolve, 1_500, body).unref());
  }
  const [, failure] = Object.entries(FAILURES).find(([name]) => texts.includes(name)) ?? [];
  if (failure) throw new SimulatedFailure(failure);
  return undefined;
}

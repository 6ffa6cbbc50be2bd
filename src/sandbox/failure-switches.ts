import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { generateRecords } from './record-generator';
import type { ShippingRecord } from './shipping-record';
import { toRecordResponse, toSummaryResponse } from './wire-format';

const FAILURES = {
  'SIMULATE-500': (reply: FastifyReply) => void reply.status(500).send({ Error: 'Simulated failure' }),
  'SIMULATE-503': (reply: FastifyReply) =>
    void reply.status(503).header('Retry-After', '1').send({ Error: 'Simulated overload' }),
  'SIMULATE-NOT-FOUND': (reply: FastifyReply) => void reply.status(404).send({ Error: 'No such shipment' }),
  // A status that clients do not retry: each call is one failure, and twenty calls open the circuit of an operation.
  'SIMULATE-CIRCUIT-OPEN': (reply: FastifyReply) => void reply.status(501).send({ Error: 'Simulated outage' }),
  'SIMULATE-TIMEOUT': (reply: FastifyReply) => {
    // There is no response; the connection ends with the client or with the server.
    reply.hijack();
  },
  'SIMULATE-RESET': (reply: FastifyReply) => {
    reply.hijack();
    reply.request.socket.resetAndDestroy();
  },
  'SIMULATE-BAD-JSON': (reply: FastifyReply) =>
    void reply.status(200).type('application/json; charset=utf-8').send('{"Id":"SHP-000001","Items":[{"Id":'),
  'SIMULATE-BAD-SHAPE': (reply: FastifyReply) => void reply.status(200).send({ Unexpected: { Shape: true } }),
} as const;

type FailureSwitch = keyof typeof FAILURES;

const ODD_RECORD_SWITCH = 'SIMULATE-ODD-RECORD';
const SLOW_SWITCH = 'SIMULATE-SLOW';

/** How long the response to `SIMULATE-SLOW` takes: within the default deadline of an attempt, which is 2 seconds. */
const SLOW_MS = 1_500;

/** The texts that make the sandbox fail, as an identifier, order id, tracking number or search term. */
export const FAILURE_SWITCHES: readonly string[] = [...Object.keys(FAILURES), ODD_RECORD_SWITCH, SLOW_SWITCH];

/** Thrown to fail a request in one way, by `SimulatedFailureFilter`. */
class SimulatedFailure extends Error {
  constructor(readonly failure: FailureSwitch) {
    super(failure);
  }
}

/** Responds with the requested failure. */
@Catch(SimulatedFailure)
export class SimulatedFailureFilter implements ExceptionFilter<SimulatedFailure> {
  catch({ failure }: SimulatedFailure, host: ArgumentsHost): void {
    FAILURES[failure](host.switchToHttp().getResponse<FastifyReply>());
  }
}

/** Responses to the switches that return records. */
export interface SimulatedResponses {
  /** To `SIMULATE-ODD-RECORD`. */
  odd: () => unknown;
  /** To `SIMULATE-SLOW`: valid records. */
  slow: () => unknown;
}

/**
 * Looks for a failure switch among the texts of a request.
 *
 * @param texts - the request's identifier, order id, tracking number and search term, as far as it has them
 * @returns the response, or a promise of the slow one; undefined where the texts hold no switch
 * @throws SimulatedFailure for every other switch
 */
export function simulateFailure(texts: readonly (string | undefined)[], { odd, slow }: SimulatedResponses): unknown {
  if (texts.includes(ODD_RECORD_SWITCH)) return odd();
  if (texts.includes(SLOW_SWITCH)) {
    return new Promise((resolve) => {
      setTimeout(() => {
        resolve(slow());
      }, SLOW_MS).unref();
    });
  }
  const failure = (Object.keys(FAILURES) as FailureSwitch[]).find((name) => texts.includes(name));
  if (failure !== undefined) throw new SimulatedFailure(failure);
  return undefined;
}

/** A record with a usable Id whose other fields have the wrong types. */
export function oddRecord(): Record<string, unknown> {
  return {
    Id: 'SHP-ODD-1',
    OrderId: { Number: 1 },
    ShippingAddress: ['Friedrichstraße 43', '10117 Berlin'],
    TrackingNumber: true,
    Status: 3,
    TotalWeight: 'heavy',
    CreatedDate: 'yesterday',
    CreatedBy: null,
    ModifiedDate: '2026-02-30T25:61:00Z',
    ModifiedBy: [],
    IsDeleted: 'no',
    ShippingItems: ['no item', { Id: 1, Sku: null, Description: {}, Quantity: 'two', Weight: [] }],
  };
}

/** Good records with two odd ones among them: one with fields of the wrong types, one without an Id. */
export function oddList(): unknown[] {
  const [first, second] = Array.from(firstOrder(), toSummaryResponse);
  const withoutId = { ...first, Id: undefined };
  return [first, oddRecord(), withoutId, second];
}

/** The response to a slow single lookup. */
export function slowRecord(): unknown {
  const [first] = firstOrder() as [ShippingRecord];
  return toRecordResponse(first);
}

/** The records of a slow list. */
export function slowList(): unknown[] {
  return firstOrder().map(toSummaryResponse);
}

/** The two shipments of the order that every sandbox begins with, with the dates of the documentation. */
function firstOrder(): ShippingRecord[] {
  return [...generateRecords(2)];
}

import { expectAnswer, expectProblem, expectUnavailable } from '../support/expectations';
import { LISTS, OPERATIONS, SINGLES, STRICT, withQuery, type Operation } from '../support/operations';
import { useScriptedService, type ScriptedService } from '../support/service';
import { chunked, delayed, empty, html, json, jsonText, redirect, status } from '../support/upstream/responses';
import { badJson, gzipBomb, oversized, truncatedGzip, wrongShape } from '../support/upstream/body-faults';
import { closesEarly, neverResponds, resetsBeforeHeaders, stallsMidBody } from '../support/upstream/connection-faults';
import type { Behaviour } from '../support/upstream/exchange';
import { anyReply, wireRecord } from '../support/upstream/records';
import { PATIENT } from '../support/patient';

const MAX_BYTES = 100_000;
const SETTINGS = {
  ...PATIENT,
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: String(MAX_BYTES),
};
/** For upstream responses that do not come in any time. */
const IMPATIENT = { EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '30' };

const STRICT_STATUS = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
};
type Reason = keyof typeof STRICT_STATUS;

const PARTIAL = anyReply({
  ...wireRecord({ TotalWeight: 'heavy' }),
  Items: [wireRecord({ TotalWeight: 'heavy' })],
  ShippingDetails: [wireRecord({ TotalWeight: 'heavy' })],
});

/** An operation degrades by default and fails under strict handling, for the same reason. */
async function expectFailure(
  { service }: Pick<ScriptedService, 'service'>,
  operation: Operation,
  reason: Reason,
): Promise<void> {
  const degraded = await service.request(operation.request);
  if (operation.single) {
    expectProblem(degraded, 500, 'external-system-failed');
    expect(degraded.json().reason).toBe(reason);
  } else {
    expectUnavailable(operation, degraded, reason);
  }
  expect(degraded.headers['preference-applied']).toBeUndefined();

  const strict = await service.request(operation.request, STRICT);
  expectProblem(strict, STRICT_STATUS[reason]);
  expect(strict.json().reason).toBe(reason);
  expect(strict.headers['preference-applied']).toBe('handling=strict');
}

describe('spec, failure behaviour 1 and 2', () => {
  const body = anyReply({ Padding: 'x'.repeat(MAX_BYTES) });
  type Kind = readonly [kind: string, reason: Reason, behaviour: Behaviour, env?: Record<string, string>];
  const kinds: Kind[] = [
    ['status 500', 'upstream-error', status(500)],
    ['status 503 with Retry-After', 'upstream-error', status(503, { retryAfter: 1 })],
    ['status 400', 'upstream-error', status(400)],
    ['an error page', 'upstream-error', html(502)],
    ['a redirect', 'bad-reply', redirect()],
    ['a page', 'bad-reply', html()],
    ['invalid JSON', 'bad-reply', badJson()],
    ['the wrong shape', 'bad-reply', wrongShape()],
    ['a truncated body', 'bad-reply', closesEarly()],
    ['a truncated gzip stream', 'bad-reply', truncatedGzip()],
    ['an oversized body', 'bad-reply', oversized(MAX_BYTES + 1)],
    ['an oversized body in chunks', 'bad-reply', chunked(body, [16_384])],
    ['a body that is oversized when decoded', 'bad-reply', gzipBomb(MAX_BYTES + 1)],
    ['an empty body', 'bad-reply', empty(200)],
    ['a reset before the status line', 'upstream-unreachable', resetsBeforeHeaders()],
    ['no response', 'upstream-timeout', neverResponds(), IMPATIENT],
    ['half a response', 'upstream-timeout', stallsMidBody(), IMPATIENT],
    ['a response after the deadline', 'upstream-timeout', delayed(60_000), IMPATIENT],
  ];

  // A service for each: its few calls do not open the circuit.
  describe.each(kinds.map((kind) => [kind[0], kind[1], kind] as const))('D18 %s is %s', (_, reason, kind) => {
    const [, , behaviour, env = {}] = kind;
    const scripted = useScriptedService({ ...SETTINGS, ...env });

    it.each(OPERATIONS)('D15, D20 and D21: $name', async (operation) => {
      scripted.upstream.respondWith(behaviour);
      await expectFailure(scripted, operation, reason);
      // D61: an attempt whose connection is lost is made once more.
      expect(scripted.upstream.calls).toHaveLength(reason === 'upstream-unreachable' ? 4 : 2);
    });
  });

  describe('D18 no match exists for single lookups only', () => {
    const scripted = useScriptedService(SETTINGS);

    it.each(
      LISTS.flatMap((operation) =>
        (
          [
            ['status 404', 'upstream-error', status(404)],
            ['status 204', 'bad-reply', empty(204)],
            ['null', 'bad-reply', jsonText('null')],
          ] as const
        ).map((row) => [operation.name, ...row, operation] as const),
      ),
    )('D18 %s: %s is %s', async (_, __, reason, behaviour, operation) => {
      scripted.upstream.respondWith(behaviour);
      expectUnavailable(operation, await scripted.service.request(operation.request), reason);
    });
  });
});

describe('spec, failure behaviour 3', () => {
  const scripted = useScriptedService(SETTINGS);
  const parse = JSON.parse.bind(JSON) as (text: string) => unknown;
  /** Throws as soon as anything of it is read: no upstream response makes a handler do so. */
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('unexpected');
      },
    },
  );

  beforeEach(() => {
    jest.spyOn(JSON, 'parse').mockImplementation((text: string) => (text.includes('"Items"') ? trap : parse(text)));
  });

  it.each(LISTS)('D20 $name is empty after an unexpected exception', async (operation) => {
    expectUnavailable(operation, await scripted.service.request(operation.request), 'internal');
  });

  it.each(SINGLES)('D15 $name is 500 after an unexpected exception', async (operation) => {
    expectProblem(await scripted.service.request(operation.request), 500);
  });

  it.each(OPERATIONS)('D21 $name is 500 under strict handling after an unexpected exception', async (operation) => {
    expectProblem(await scripted.service.request(operation.request, STRICT), 500);
  });
});

/** The header of an answer, whose parameters neither metrics nor the log have. */
function useCompleteness(env: Readonly<Record<string, string>> = {}): {
  completeness(request: string): Promise<unknown>;
  expectNotRecorded(): Promise<void>;
  scripted: Pick<ScriptedService, 'service' | 'upstream'>;
} {
  const scripted = useScriptedService({ ...SETTINGS, ...env });
  return {
    completeness: async (request) => (await scripted.service.request(request)).headers['shipping-completeness'],
    expectNotRecorded: async () => {
      const recorded = [(await scripted.service.get('/metrics')).body, ...scripted.service.log].join();
      expect(recorded).not.toMatch(/dropped=|retry-after=/);
    },
    scripted,
  };
}

describe('D20 Shipping-Completeness counts dropped records', () => {
  const { completeness, expectNotRecorded, scripted } = useCompleteness();

  it.each(LISTS)('D20 $name: dropped counts records', async (operation) => {
    const records = [wireRecord(), 'odd', wireRecord({ Id: undefined }), wireRecord({ TotalWeight: 'heavy' })];
    scripted.upstream.respondWith(json(anyReply({ Items: records, ShippingDetails: records })));
    expect(await completeness(operation.request)).toBe('partial;reason=bad-reply;dropped=2');
    await expectNotRecorded();
  });

  it.each(OPERATIONS)('D20 $name: no dropped where only fields or shipping items are', async (operation) => {
    const record = wireRecord({ TotalWeight: 'heavy', ShippingItems: [7] });
    scripted.upstream.respondWith(json(anyReply({ ...record, Items: [record], ShippingDetails: [record] })));
    expect(await completeness(operation.request)).toBe('partial;reason=bad-reply');
  });
});

describe('D20 and D21 refused calls', () => {
  const scripted = useScriptedService({ ...SETTINGS, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '3600000' });

  it.each(OPERATIONS)('D20 circuit-open: $name is refused without a call, with Retry-After', async (operation) => {
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 25; call += 1) await scripted.service.request(operation.request);
    scripted.upstream.calls = [];
    await expectFailure(scripted, operation, 'circuit-open');
    const { headers } = await scripted.service.request(operation.request, STRICT);
    expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(scripted.upstream.calls).toEqual([]);
  });
});

describe.each(OPERATIONS)('D20 saturated: $name', (operation) => {
  const scripted = useScriptedService({
    ...SETTINGS,
    EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
    EXTERNAL_SHIPPING_MAX_QUEUE: '0',
  });

  it('D20 is refused while slots and queue are full', async () => {
    scripted.upstream.respondWith(neverResponds());
    const inFlight = scripted.service.request('GetShippingInfoById/HOLDS-THE-SLOT');
    await scripted.upstream.waitForCalls(1);
    await expectFailure(scripted, operation, 'saturated');
    expect(scripted.upstream.calls).toHaveLength(1);
    scripted.upstream.respondWith(json());
    scripted.upstream.hangUp();
    await inFlight;
  });
});

describe('D20 completeness', () => {
  const scripted = useScriptedService(SETTINGS);

  it.each(OPERATIONS)('D20 $name: complete', async (operation) => {
    expectAnswer(operation, await scripted.service.request(operation.request), 'complete');
  });

  it.each(OPERATIONS)(
    'D20 and D21 $name: partial is 200 without ETag, under strict handling too',
    async (operation) => {
      scripted.upstream.respondWith(json(PARTIAL));
      for (const headers of [{}, STRICT]) {
        expectAnswer(operation, await scripted.service.request(operation.request, headers), 'partial;reason=bad-reply');
      }
    },
  );

  it.each(OPERATIONS)('D21 $name: Preference-Applied and Vary under strict handling', async (operation) => {
    const response = await scripted.service.request(operation.request, STRICT);
    expectAnswer(operation, response, 'complete');
    expect(response.headers['preference-applied']).toBe('handling=strict');
    expect(response.headers.vary).toMatch(/\bPrefer\b/);
  });

  it('D21 strict handling is a preference of the operations alone', async () => {
    const { headers } = await scripted.service.get('/health/live', { headers: STRICT });
    expect(headers).not.toHaveProperty('preference-applied');
  });

  it.each(OPERATIONS)('D21 $name: other preferences are not strict handling', async (operation) => {
    for (const Prefer of ['handling=lenient', 'strict', 'handling=strictly']) {
      const response = await scripted.service.request(withQuery(operation.request, 'unknown=1'), { Prefer });
      expect([response.status, response.headers['preference-applied']]).toEqual([200, undefined]);
    }
  });
});

describe('D20 CACHE_STALE_IF_ERROR_MS', () => {
  const scripted = useScriptedService({ ...SETTINGS, CACHE_STALE_IF_ERROR_MS: '3600000' });

  it.each(OPERATIONS)('D20 $name: the last complete response is served stale, no-store', async (operation) => {
    const complete = await scripted.service.request(operation.request);
    scripted.upstream.respondWith(status(500));
    for (const headers of [{}, STRICT]) {
      const stale = await scripted.service.request(operation.request, headers);
      expectAnswer(operation, stale, 'stale;reason=upstream-error');
      expect(stale.body).toBe(complete.body);
    }
  });
});

// A service for each: together they would use up the retry budget.
describe.each(OPERATIONS)('D26 attempts: $name', (operation) => {
  const scripted = useScriptedService(PATIENT);

  it('D26 is complete where another attempt succeeds', async () => {
    scripted.upstream.enqueue(status(503));
    expectAnswer(operation, await scripted.service.request(operation.request), 'complete');
    expect(scripted.upstream.calls).toHaveLength(2);
  });
});

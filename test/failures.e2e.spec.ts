import { expectAnswer, expectNoLeak, expectProblem, expectUnavailable } from './support/expectations';
import {
  BY_ID,
  DETAILS,
  eventually,
  LISTS,
  type Operation,
  OPERATIONS,
  PAGED,
  SINGLE,
  SINGLES,
  STRICT,
  withQuery,
} from './support/operations';
import { useMonotonicClock } from './support/monotonic-clock';
import { RunningService, startScriptedService, type ScriptedService, useScriptedService } from './support/service';
import {
  chunked,
  empty,
  gzip,
  html,
  http10,
  json,
  jsonText,
  redirect,
  status,
  text,
} from './support/upstream/responses';
import * as body from './support/upstream/body-faults';
import * as connection from './support/upstream/connection-faults';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, wireRecord } from './support/upstream/records';
import { refusedUrl } from './support/upstream/refused-url';

/** One attempt. */
const SINGLE_ATTEMPT = {
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_TOKEN: 'hidden-credential',
};
/** No deadline passes. */
const PATIENT = {
  ...SINGLE_ATTEMPT,
  EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
};
/** Only deadlines end a call. */
const IMPATIENT = {
  ...SINGLE_ATTEMPT,
  EXTERNAL_SHIPPING_TIMEOUT_MS: '150',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '150',
};
/** The circuit breaker forgets older calls. */
const BREAKER_WINDOW_MS = 11_000;
/** The retry budget, three retries at least, is full again. */
const RETRY_BUDGET_WINDOW_MS = 11_000;
/** What strict clients get (D21). */
const STRICT_STATUS = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
} as const;
type Reason = keyof typeof STRICT_STATUS;

/** The response of an operation whose external system has failed for this reason, by default and for strict clients. */
async function expectFailure(service: RunningService, operation: Operation, reason: Reason): Promise<void> {
  const byDefault = await service.request(operation.request);
  if (operation.single) expectProblem(byDefault, 500, 'external-system-failed');
  else expectUnavailable(operation, byDefault, reason);
  expect(byDefault.headers['preference-applied']).toBeUndefined();

  const strict = await service.request(operation.request, STRICT);
  expectProblem(strict, STRICT_STATUS[reason]);
  expect(strict.headers['preference-applied']).toBe('handling=strict');
  expect(strict.headers['shipping-completeness']).toBeUndefined();
  const retryAfter = strict.headers['retry-after'];
  if (retryAfter !== undefined) expect(retryAfter).toMatch(/^[1-9]\d{0,5}$/);
}

type Kind = readonly [name: string, reason: Reason, behaviour: Behaviour, operations?: readonly Operation[]];

const FAILURES: readonly Kind[] = [
  ...[400, 401, 429, 500, 503, 599].map((code): Kind => [`status ${code}`, 'upstream-error', status(code)]),
  ['status 404 on lists', 'upstream-error', status(404), LISTS],
  ['status 503 with Retry-After', 'upstream-error', status(503, { retryAfter: 1 })],
  ['status 500 with a sound body', 'upstream-error', json(anyReply(), { status: 500 })],
  ['status 500 without a body', 'upstream-error', empty(500)],
  ['status 502 with a page', 'upstream-error', html(502)],
  ...[302, 308].map((code): Kind => [`redirect ${code}`, 'bad-reply', redirect(code)]),
  ['a redirect with a sound body', 'bad-reply', json(anyReply(), { status: 302, headers: { Location: '/x' } })],
  ['a page', 'bad-reply', html(200)],
  ['truncated JSON', 'bad-reply', body.truncatedJson()],
  ['JSON and more', 'bad-reply', jsonText(`${JSON.stringify(anyReply())}x`)],
  ['an empty body', 'bad-reply', empty(200)],
  ['a blank body', 'bad-reply', jsonText(' \n ')],
  ['204 on lists', 'bad-reply', empty(204), LISTS],
  ['null on lists', 'bad-reply', jsonText('null'), LISTS],
  ['an array of records', 'bad-reply', json([wireRecord()])],
  ['a number', 'bad-reply', json(7)],
  ['false', 'bad-reply', json(false)],
  ['an empty object', 'bad-reply', json({})],
  ['a record wrapped in another object', 'bad-reply', json({ Data: anyReply() })],
  ['truncated gzip', 'bad-reply', body.truncatedGzip()],
  ['garbage called gzip', 'bad-reply', body.garbageGzip()],
  ['a body too long, its length announced', 'bad-reply', body.oversized(100_001)],
  ['a body too long only when decoded', 'bad-reply', body.gzipBomb(100_001)],
  ['a body too long, in chunks', 'bad-reply', chunked(anyReply({ Padding: 'x'.repeat(110_000) }), [16_384])],
  ['a body without end', 'bad-reply', connection.endlessBody()],
  ['a chunk size that is none', 'bad-reply', body.badChunkSize()],
  ['a connection closed before the end of the body', 'bad-reply', connection.closesEarly()],
  ['a connection closed between chunks', 'bad-reply', connection.closesMidChunks()],
  ['a connection reset behind the headers', 'bad-reply', connection.resetsAfterHeaders()],
  ['a connection reset in the body', 'bad-reply', connection.resetsMidBody()],
  ['a connection reset before the status line', 'upstream-unreachable', connection.resetsBeforeHeaders()],
  ['a connection closed before the status line', 'upstream-unreachable', connection.closesBeforeHeaders()],
];

const TIMEOUTS: readonly Kind[] = [
  ['silence', 'upstream-timeout', connection.neverResponds()],
  ['silence behind the headers', 'upstream-timeout', connection.stallsAfterHeaders()],
  ['silence in the body', 'upstream-timeout', connection.stallsMidBody()],
  ['one byte at a time', 'upstream-timeout', connection.drips(anyReply(), 20)],
  ['one header at a time', 'upstream-timeout', connection.dripsHeaders(20)],
  ['informational responses without end', 'upstream-timeout', connection.endlessInformational()],
];

describe('spec: Failure behaviour', () => {
  const clock = useMonotonicClock();

  describe.each([
    ['fails at once', PATIENT, FAILURES],
    ['does not end', IMPATIENT, TIMEOUTS],
  ] as const)('an upstream response that %s', (_title, env, kinds) => {
    const scripted = useScriptedService(env);
    beforeEach(() => {
      clock.advance(BREAKER_WINDOW_MS);
    });

    it.each(kinds.map((kind) => [kind[0], kind[1], kind] as const))(
      'D15, D18, D20 and D21: %s is %s',
      async (_name, reason, [, , behaviour, operations = OPERATIONS]) => {
        scripted.upstream.respondWith(behaviour);
        await Promise.all(operations.map((operation) => expectFailure(scripted.service, operation, reason)));
        expect(scripted.upstream.calls).toHaveLength(2 * operations.length);
      },
    );
  });

  it('D15, D18, D20 and D21: a refused connection is upstream-unreachable', async () => {
    const service = await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() });
    for (const operation of OPERATIONS) await expectFailure(service, operation, 'upstream-unreachable');
    await service.close();
  });

  it('D15, D18 and D21: a name that does not resolve is upstream-unreachable, and not disclosed', async () => {
    const url = 'http://shipping.invalid:8080';
    const service = await RunningService.start({ ...SINGLE_ATTEMPT, EXTERNAL_SHIPPING_BASE_URL: url });
    for (const operation of OPERATIONS) {
      const answer = await service.request(operation.request, STRICT);
      // A resolver may say no at once, or let the deadline pass.
      expect([503, 504]).toContain(answer.status);
      expectProblem(answer, answer.status);
      expect(answer.body).not.toMatch(/shipping\.invalid|8080|ENOTFOUND|EAI_AGAIN|getaddrinfo/);
    }
    await service.close();
  });

  describe('with one service', () => {
    const scripted = useScriptedService(PATIENT);

    it('D18 bytes that are no HTTP fail', async () => {
      scripted.upstream.respondWith(body.garbageBytes());
      const answer = await scripted.service.request(DETAILS.request);
      expect(answer.headers['shipping-completeness']).toMatch(/^unavailable;reason=(bad-reply|upstream-unreachable)$/);
      expect(answer.json()).toEqual([]);
    });

    it.each([
      ['GetShippingPagedList', 1, 10],
      ['GetShippingPagedList?PageNumber=2147483647&pagesize=007', 2147483647, 7],
    ])('spec: Failure behaviour 2: %s echoes its page and size', async (request, pageNumber, pageSize) => {
      scripted.upstream.respondWith(status(500));
      const answer = await scripted.service.request(request);
      expectAnswer(PAGED, answer, 'unavailable;reason=upstream-error');
      expect(answer.json()).toEqual({
        items: [],
        totalCount: 0,
        pageNumber,
        pageSize,
        totalPages: 0,
        hasPreviousPage: false,
        hasNextPage: false,
      });
    });
  });
});

describe('no match on the single lookups', () => {
  const scripted = useScriptedService(PATIENT);

  it.each<[string, Behaviour]>([
    ['404', status(404)],
    ['404 with a sound record', json(wireRecord(), { status: 404 })],
    ['204', empty(204)],
    ['null', jsonText(' null\n')],
  ])('D18 %s is 404 shipping-not-found, for strict clients too', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    for (const operation of SINGLES) {
      for (const headers of [{}, STRICT]) {
        const answer = await scripted.service.request(operation.request, headers);
        expectProblem(answer, 404, 'shipping-not-found');
        expect(answer.headers['shipping-completeness']).toBeUndefined();
      }
    }
  });

  it('D18 however many do not match, the circuit stays closed', async () => {
    scripted.upstream.respondWith(status(404));
    for (let call = 0; call < 60; call++) {
      expectProblem(await scripted.service.request(`GetShippingInfoById/N-${call}`), 404, 'shipping-not-found');
    }
  });

  it.each<[string, Behaviour]>([
    ['of status 201', json(anyReply(), { status: 201 })],
    ['of status 206', json(anyReply(), { status: 206 })],
    ['compressed', gzip()],
    ['in chunks', chunked()],
    ['in the manner of HTTP/1.0', http10()],
    ['called text', text(JSON.stringify(anyReply()))],
    ['with the connection closed behind it', connection.closesAfterAnswer()],
  ])('D18 a sound upstream response %s is complete', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    for (const operation of OPERATIONS) {
      expectAnswer(operation, await scripted.service.request(operation.request), 'complete');
    }
  });
});

describe('D26 attempts and deadlines', () => {
  const clock = useMonotonicClock();
  let scripted: ScriptedService | undefined;
  afterEach(async () => {
    await scripted?.close();
    scripted = undefined;
  });

  const start = async (env: Record<string, string>): Promise<ScriptedService> => {
    scripted = await startScriptedService(env);
    return scripted;
  };

  it.each<[string, Behaviour]>([
    ['status 503', status(503)],
    ['a connection reset', connection.resetsBeforeHeaders()],
    ['silence', connection.neverResponds()],
  ])('D26 after %s another attempt may succeed', async (_, failure) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300',
    });
    const failed = new Set<string>();
    upstream.respondWith(({ path }) => {
      if (failed.has(path)) return json();
      failed.add(path);
      return failure;
    });
    for (const operations of [SINGLES, LISTS]) {
      clock.advance(RETRY_BUDGET_WINDOW_MS);
      await Promise.all(
        operations.map(async (operation) => {
          expectAnswer(operation, await service.request(operation.request), 'complete');
        }),
      );
    }
    expect(upstream.calls.length).toBeGreaterThanOrEqual(8);
  });

  it.each([1, 3])('D26 at most EXTERNAL_SHIPPING_MAX_ATTEMPTS=%i attempts, the first included', async (attempts) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: String(attempts),
      EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
    });
    upstream.respondWith(status(503));
    expectUnavailable(DETAILS, await service.request(DETAILS.request), 'upstream-error');
    expect(upstream.calls).toHaveLength(attempts);
  });

  it('D22 the attempts of one request carry its id and its trace', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(status(503));
    await service.request(DETAILS.request, { 'X-Request-Id': 'R-7' });
    expect(upstream.calls.length).toBeGreaterThan(1);
    expect(new Set(upstream.calls.map(({ headers }) => headers['x-request-id']))).toEqual(new Set(['R-7']));
    expect(new Set(upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[1])).size).toBe(1);
    expect(new Set(upstream.calls.map(({ target }) => target)).size).toBe(1);
  });

  it('D26 EXTERNAL_SHIPPING_TIMEOUT_MS bounds a call, retries included', async () => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '400',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '10',
    });
    upstream.enqueue(status(503));
    upstream.respondWith(connection.neverResponds());
    const answers = await Promise.all(OPERATIONS.map(({ request }) => service.request(request, STRICT)));
    for (const answer of answers) expectProblem(answer, 504);
    await upstream.until(() => upstream.inFlight() === 0);
  });

  it('D26 a dead kept-alive connection is replaced, uncounted', async () => {
    const { service, upstream } = await start({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    upstream.respondWith(json());
    upstream.enqueue(connection.closesKeepAliveAsReused());
    expectAnswer(DETAILS, await service.request('GetShippingDetails?Limit=1'), 'complete;limit=1');
    expectAnswer(DETAILS, await service.request('GetShippingDetails?Limit=2'), 'complete');
    expect([upstream.calls.length, upstream.reusesRefused]).toEqual([2, 1]);
  });

  it('D26 a client disconnect cancels the call', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(connection.neverResponds());
    const leaving = new AbortController();
    const asked = service.get(`/api/Shipping/${DETAILS.request}`, { signal: leaving.signal });
    await upstream.waitForCalls(1);
    leaving.abort();
    await expect(asked).rejects.toThrow();
    expect(await upstream.calls[0]?.outcome).toBe('aborted');
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('D20 circuit-open', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
    scripted.upstream.respondWith(status(500));
    for (const { request } of OPERATIONS) {
      for (let call = 0; call < 20; call++) await scripted.service.request(request);
    }
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });
  afterAll(() => scripted.close());

  it.each(OPERATIONS)('D33 $name is refused at once, with Retry-After', async (operation) => {
    await expectFailure(scripted.service, operation, 'circuit-open');
    expect(scripted.upstream.calls).toEqual([]);
    const strict = await scripted.service.request(operation.request, STRICT);
    expect(Number(strict.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // At first 60 s; how much is added at random is not said.
    expect(Number(strict.headers['retry-after'])).toBeLessThanOrEqual(120);
  });

  it('D25 readiness does not depend on it', async () => {
    expect((await scripted.service.get('/health/ready')).status).toBe(200);
  });

  it('D9 and D4: bad input is still 400', async () => {
    expect((await scripted.service.request('GetShippingInfoById/-')).status).toBe(400);
    expect((await scripted.service.request('GetShippingPagedList?PageNumber=0', STRICT)).status).toBe(400);
  });
});

describe('D26 the circuit closes again', () => {
  const clock = useMonotonicClock();
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
  const completeness = async (): Promise<unknown> =>
    (await scripted.service.request(DETAILS.request)).headers['shipping-completeness'];

  it('EXTERNAL_SHIPPING_BREAKER_OPEN_MS later, when the external system has recovered', async () => {
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 20; call++) await scripted.service.request(DETAILS.request);
    scripted.upstream.respondWith(json());
    // The open time is off by up to a fifth.
    clock.advance(40_000);
    expect(await completeness()).toBe('unavailable;reason=circuit-open');
    clock.advance(40_000);
    expect(await completeness()).toBe('complete');
  });
});

describe('D20 saturated', () => {
  it.each(['0', '4'])('D26 with the one slot taken and EXTERNAL_SHIPPING_MAX_QUEUE=%s', async (queue) => {
    const { service, upstream, close } = await startScriptedService({
      ...PATIENT,
      EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
      EXTERNAL_SHIPPING_MAX_QUEUE: queue,
    });
    upstream.respondWith(connection.neverResponds());
    const taking = service.request('GetShippingInfoById/TAKES-THE-SLOT');
    await upstream.waitForCalls(1);
    await Promise.all(OPERATIONS.map((operation) => expectFailure(service, operation, 'saturated')));
    expect(upstream.calls).toHaveLength(1);
    upstream.respondWith(json());
    upstream.hangUp();
    expectProblem(await taking, 500, 'external-system-failed');
    for (const operation of OPERATIONS) expectAnswer(operation, await service.request(operation.request), 'complete');
    await close();
  });
});

describe('D21 Prefer', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(PATIENT);
  });
  afterAll(() => scripted.close());

  const isStrict = async (prefer: string | string[]): Promise<boolean> => {
    // A sound response before it and one behind it keep the circuit closed.
    scripted.upstream.respondWith(json());
    scripted.upstream.enqueue(json(), status(500), json());
    await scripted.service.request(DETAILS.request);
    const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { headers: { Prefer: prefer } });
    await scripted.service.request(DETAILS.request);
    if (answer.status === 200) {
      expectUnavailable(DETAILS, answer, 'upstream-error');
      expect(answer.headers['preference-applied']).toBeUndefined();
      return false;
    }
    expectProblem(answer, 502);
    expect(answer.headers['preference-applied']).toBe('handling=strict');
    return true;
  };

  it.each<[string | string[]]>([
    ['HANDLING=strict'],
    ['  handling = "strict"  '],
    ['respond-async,handling=strict,wait=10'],
    ['handling=strict; foo=bar'],
    ['handling=strict, handling=lenient'],
    ['foo="a\\"b,c", handling=strict'],
    [['respond-async', 'handling=strict']],
  ])('D21 %j is strict', async (prefer) => {
    expect(await isStrict(prefer)).toBe(true);
  });

  it.each<[string | string[]]>([
    ['handling'],
    ['handling=strictly'],
    ['handling=lenient, handling=strict'],
    ['foo; handling=strict'],
    ['foo="a\\", handling=strict, b"'],
    [''],
    [['handling=lenient', 'handling=strict']],
  ])('D21 %j is not', async (prefer) => {
    expect(await isStrict(prefer)).toBe(false);
  });

  it.each(OPERATIONS)(
    'D21 $name: a complete response is the same for strict clients, with Preference-Applied',
    async (operation) => {
      scripted.upstream.respondWith(json());
      const byDefault = await scripted.service.request(operation.request);
      const strict = await scripted.service.request(operation.request, STRICT);
      expectAnswer(operation, strict, 'complete');
      expect(strict.body).toBe(byDefault.body);
      expect([byDefault.headers['preference-applied'], strict.headers['preference-applied']]).toEqual([
        undefined,
        'handling=strict',
      ]);
    },
  );

  it.each(OPERATIONS)('D21 $name: a partial response stays 200 for strict clients', async (operation) => {
    const odd = wireRecord({ TotalWeight: 'heavy' });
    scripted.upstream.respondWith(json(anyReply({ ...odd, Items: [odd], ShippingDetails: [odd] })));
    const answer = await scripted.service.request(operation.request, STRICT);
    expectAnswer(operation, answer, 'partial;reason=bad-reply');
    expect(answer.headers['preference-applied']).toBe('handling=strict');
  });

  it.each([
    ['no match', BY_ID.request, 404],
    ['a bad parameter', 'GetShippingDetails?Limit=0', 400],
    ['no criteria', 'GetShippingSingle', 400],
    ['a plain message', 'GetShippingPagedList?PageNumber=0', 400],
    ['an unknown parameter', withQuery(SINGLE.request, 'x=1'), 400],
  ])('D21 Vary: Prefer on %s', async (_, request, code) => {
    scripted.upstream.respondWith(status(404));
    for (const headers of [{}, STRICT]) {
      const answer = await scripted.service.request(request, headers);
      if (request !== withQuery(SINGLE.request, 'x=1') || headers === STRICT) expect(answer.status).toBe(code);
      expect(answer.headers.vary).toMatch(/\bPrefer\b/);
    }
  });
});

describe('spec: Failure behaviour 3: an unexpected exception', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(PATIENT);
    scripted.upstream.respondWith(json());
    // Every place where a response of the external system is read does it with this; no reply can make it throw.
    jest.spyOn(JSON, 'parse').mockImplementation(parse);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await scripted.close();
  });

  const realParse = JSON.parse.bind(JSON) as (text: string) => unknown;
  /** A record that throws as soon as anything of it is read. */
  const trap: object = new Proxy(
    {},
    {
      get: () => {
        throw new Error('secret of the handler at 127.0.0.1');
      },
      ownKeys: () => {
        throw new Error('secret of the handler at 127.0.0.1');
      },
    },
  );
  function parse(source: string): unknown {
    return source.includes('"ShippingDetails"') ? trap : realParse(source);
  }

  it.each(LISTS)('$name is empty', async (operation) => {
    expectUnavailable(operation, await scripted.service.request(operation.request), 'internal');
  });

  it.each(SINGLES)('$name is 500', async (operation) => {
    const answer = await scripted.service.request(operation.request);
    expectProblem(answer, 500);
    expect(answer.body).not.toContain('secret');
  });

  it.each(OPERATIONS)('D21 $name is 500 for strict clients', async (operation) => {
    const answer = await scripted.service.request(operation.request, STRICT);
    expectProblem(answer, 500);
    expect(answer.body).not.toContain('secret');
  });

  it('is logged as an error', async () => {
    const errors = (): number =>
      scripted.service.log.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) >= 50).length;
    const before = errors();
    await scripted.service.request(DETAILS.request);
    await eventually(() => errors() > before);
  });
});

describe('D15 errors disclose nothing of the inside', () => {
  const clock = useMonotonicClock();
  const scripted = useScriptedService(PATIENT);

  it.each<[string, Behaviour]>([
    [
      'status 500 with a stack',
      text('Error: boom\n    at f (/srv/shippings/app.js:10:5)\n http://127.0.0.1/', { status: 500 }),
    ],
    [
      'status 500 with a problem of its own',
      json({ detail: 'hidden-credential at 127.0.0.1/shippings/' }, { status: 500 }),
    ],
    ['broken JSON with a credential', jsonText('{"token":"hidden-credential"')],
    [
      'headers with a credential',
      json({}, { status: 503, headers: { 'X-Token': 'hidden-credential', 'Set-Cookie': 'a=1' } }),
    ],
  ])('D15 %s', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    clock.advance(BREAKER_WINDOW_MS);
    for (const operation of OPERATIONS) {
      for (const headers of [{}, STRICT]) {
        const answer = await scripted.service.request(operation.request, headers);
        expectNoLeak(answer.body);
        expectNoLeak(JSON.stringify(answer.headers).replaceAll(/"server":"[^"]*"/g, ''));
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    }
  });
});

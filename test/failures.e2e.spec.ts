import { expectAnswer, expectNoLeak, expectProblem, expectShape, expectUnavailable } from './support/expectations';
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
import { RunningService, startScriptedService, type ScriptedService } from './support/service';
import {
  chunked,
  delayed,
  empty,
  gzip,
  html,
  http10,
  json,
  jsonText,
  redirect,
  status,
  text,
} from './support/upstream/answers';
import * as body from './support/upstream/body-faults';
import * as connection from './support/upstream/connection-faults';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, wireRecord } from './support/upstream/records';
import { refusedUrl } from './support/upstream/refused-url';

/** One attempt, and short times: what fails fails soon. */
const IMPATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '600',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200',
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_TOKEN: 'hidden-credential',
};
/** What D21 answers strict callers. */
const STRICT_STATUS = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
} as const;
type Reason = keyof typeof STRICT_STATUS;

/** The answer of an operation whose external system has failed for this reason, by default and for strict callers. */
async function expectFailure(service: RunningService, operation: Operation, reason: Reason): Promise<void> {
  const byDefault = await service.ask(operation.request);
  if (operation.single) expectProblem(byDefault, 500, 'external-system-failed');
  else expectUnavailable(operation, byDefault, reason);
  expect(byDefault.headers['preference-applied']).toBeUndefined();

  const strict = await service.ask(operation.request, STRICT);
  expectProblem(strict, STRICT_STATUS[reason]);
  expect(strict.headers['preference-applied']).toBe('handling=strict');
  expect(strict.headers['shipping-completeness']).toBeUndefined();
  const retryAfter = strict.headers['retry-after'];
  if (retryAfter !== undefined) expect(retryAfter).toMatch(/^[1-9]\d{0,5}$/);
}

describe('spec: Failure behaviour', () => {
  const errors = [400, 401, 402, 403, 409, 410, 418, 422, 429, 451, 500, 501, 502, 503, 504, 511, 599];
  type Kind = readonly [name: string, reason: Reason, behaviour: Behaviour, operations?: readonly Operation[]];
  const KINDS: readonly Kind[] = [
    ...errors.map((code): Kind => [`status ${code}`, 'upstream-error', status(code)]),
    ['status 404 on lists', 'upstream-error', status(404), LISTS],
    ['status 503 with Retry-After', 'upstream-error', status(503, { retryAfter: 1 })],
    [
      'status 429 with Retry-After as a date',
      'upstream-error',
      status(429, { retryAfter: 'Sun, 06 Nov 2033 08:49:37 GMT' }),
    ],
    ['status 500 with a sound body', 'upstream-error', json(anyReply(), { status: 500 })],
    ['status 500 without a body', 'upstream-error', empty(500)],
    ['status 502 with a page', 'upstream-error', html(502)],
    [
      'status 500 with a stack and a host',
      'upstream-error',
      text('Error: at x (/srv/app.js:1:1) db.internal', { status: 500 }),
    ],
    ...[301, 302, 303, 307, 308].map((code): Kind => [`redirect ${code}`, 'bad-reply', redirect(code)]),
    ['a redirect with a sound body', 'bad-reply', json(anyReply(), { status: 302, headers: { Location: '/x' } })],
    ['a page', 'bad-reply', html(200)],
    ['broken JSON', 'bad-reply', body.badJson()],
    ['truncated JSON', 'bad-reply', body.truncatedJson()],
    ['JSON and more', 'bad-reply', jsonText(`${JSON.stringify(anyReply())}x`)],
    ['two JSON texts', 'bad-reply', jsonText(JSON.stringify(anyReply()).repeat(2))],
    ['NaN', 'bad-reply', jsonText('NaN')],
    ['an empty body', 'bad-reply', empty(200)],
    ['a blank body', 'bad-reply', jsonText(' \n ')],
    ['204 on lists', 'bad-reply', empty(204), LISTS],
    ['null on lists', 'bad-reply', jsonText('null'), LISTS],
    ['an array', 'bad-reply', body.wrongShape()],
    ['an array of records', 'bad-reply', json([wireRecord()])],
    ['a text', 'bad-reply', json('text')],
    ['a number', 'bad-reply', json(7)],
    ['true', 'bad-reply', json(true)],
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
    ['silence', 'upstream-timeout', connection.neverAnswers()],
    ['silence behind the headers', 'upstream-timeout', connection.stallsAfterHeaders()],
    ['silence in the body', 'upstream-timeout', connection.stallsMidBody()],
    ['one byte at a time', 'upstream-timeout', connection.drips(anyReply(), 20)],
    ['one header at a time', 'upstream-timeout', connection.dripsHeaders(20)],
    ['informational answers without end', 'upstream-timeout', connection.endlessInformational()],
    ['an answer after the deadline', 'upstream-timeout', delayed(5_000)],
  ];

  // A service for each kind: its eight calls are too few to open the circuit.
  describe.each(KINDS.map((kind) => [kind[0], kind[1], kind] as const))('D18 %s is %s', (_name, reason, kind) => {
    const [, , behaviour, operations = OPERATIONS] = kind;
    let scripted: ScriptedService;
    beforeAll(async () => {
      scripted = await startScriptedService(IMPATIENT);
      scripted.upstream.respondWith(behaviour);
    });
    afterAll(() => scripted.close());

    it.each(operations)('D15, D20 and D21: $name', async (operation) => {
      const before = performance.now();
      await expectFailure(scripted.service, operation, reason);
      expect(performance.now() - before).toBeLessThan(2 * (600 + 500));
      expect(scripted.upstream.calls).toHaveLength(2);
      scripted.upstream.calls = [];
    });
  });

  describe('D18 nothing listens', () => {
    it.each(OPERATIONS)('D15, D20 and D21: $name', async (operation) => {
      const service = await RunningService.start({ ...IMPATIENT, EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() });
      await expectFailure(service, operation, 'upstream-unreachable');
      await service.close();
    });
  });

  describe('D18 a name that does not resolve', () => {
    it.each(OPERATIONS)('D15, D20 and D21: $name says neither name nor cause', async (operation) => {
      const url = 'http://shipping.invalid:8080';
      const service = await RunningService.start({ ...IMPATIENT, EXTERNAL_SHIPPING_BASE_URL: url });
      const answer = await service.ask(operation.request, STRICT);
      // A resolver may say no at once, or let the deadline pass.
      expect([503, 504]).toContain(answer.status);
      expectProblem(answer, answer.status);
      expect(answer.body).not.toMatch(/shipping\.invalid|8080|ENOTFOUND|EAI_AGAIN|getaddrinfo/);
      await service.close();
    });
  });

  it('D18 bytes that are no HTTP fail, whatever they are called', async () => {
    const scripted = await startScriptedService(IMPATIENT);
    scripted.upstream.respondWith(body.garbageBytes());
    const answer = await scripted.service.ask(DETAILS.request);
    expect(answer.headers['shipping-completeness']).toMatch(/^unavailable;reason=(bad-reply|upstream-unreachable)$/);
    expect(answer.json()).toEqual([]);
    await scripted.close();
  });

  it.each([
    ['GetShippingPagedList', 1, 10],
    ['GetShippingPagedList?PageNumber=9&PageSize=100', 9, 100],
    ['GetShippingPagedList?pagesize=007', 1, 7],
    ['GetShippingPagedList?PageNumber=2147483647', 2147483647, 10],
  ])('spec: Failure behaviour 2: %s echoes its page and size', async (request, pageNumber, pageSize) => {
    const scripted = await startScriptedService(IMPATIENT);
    scripted.upstream.respondWith(status(500));
    const answer = await scripted.service.ask(request);
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
    await scripted.close();
  });
});

describe('no match on the single lookups', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(IMPATIENT);
  });
  afterAll(() => scripted.close());

  const noMatch: [string, Behaviour][] = [
    ['404', status(404)],
    ['404 with a page', html(404)],
    ['404 without a body', empty(404)],
    ['404 with a sound record', json(wireRecord(), { status: 404 })],
    ['204', empty(204)],
    ['null', jsonText('null')],
    ['null with space around it', jsonText(' null\n')],
  ];
  it.each(
    SINGLES.flatMap((operation) =>
      noMatch.map(([kind, behaviour]) => [operation.name, kind, operation, behaviour] as const),
    ),
  )(
    'D18 %s: %s of the external system is 404 shipping-not-found, for strict callers too',
    async (_, __, operation, behaviour) => {
      scripted.upstream.respondWith(behaviour);
      for (const headers of [{}, STRICT]) {
        const answer = await scripted.service.ask(operation.request, headers);
        expectProblem(answer, 404, 'shipping-not-found');
        expect(answer.headers['shipping-completeness']).toBeUndefined();
      }
    },
  );

  it('D18 however many do not match, the circuit stays closed', async () => {
    scripted.upstream.respondWith(status(404));
    for (let call = 0; call < 60; call++) {
      expectProblem(await scripted.service.ask(`GetShippingInfoById/N-${call}`), 404, 'shipping-not-found');
    }
  });

  it.each([201, 202, 203, 206])('D18 %i with a sound body is no failure', async (code) => {
    scripted.upstream.respondWith(json(anyReply(), { status: code }));
    for (const operation of OPERATIONS)
      expectAnswer(operation, await scripted.service.ask(operation.request), 'complete');
  });

  it.each<[string, Behaviour]>([
    ['compressed', gzip()],
    ['in chunks', chunked()],
    ['in the manner of HTTP/1.0', http10()],
    ['a little late', delayed(50)],
    ['called text', text(JSON.stringify(anyReply()))],
    ['with the connection closed behind it', connection.closesAfterAnswer()],
  ])('a sound reply %s is complete', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    for (const operation of OPERATIONS) {
      const answer = await scripted.service.ask(operation.request);
      expectAnswer(operation, answer, 'complete');
      expectShape(operation, answer.json());
    }
  });
});

describe('D26 attempts and deadlines', () => {
  let scripted: ScriptedService | undefined;
  afterEach(async () => {
    await scripted?.close();
    scripted = undefined;
  });

  const start = async (env: Record<string, string>): Promise<ScriptedService> => {
    scripted = await startScriptedService(env);
    return scripted;
  };

  const passing: [string, Behaviour][] = [
    ['status 503', status(503)],
    ['status 502', status(502)],
    ['a connection reset', connection.resetsBeforeHeaders()],
    ['silence', connection.neverAnswers()],
  ];
  it.each(
    OPERATIONS.flatMap((operation) => passing.map((failure) => [operation.name, ...failure, operation] as const)),
  )('D26 %s: after %s another attempt may succeed', async (_, __, failure, operation) => {
    const { service, upstream } = await start({ EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '300' });
    upstream.respondWith(json());
    upstream.enqueue(failure);
    expectAnswer(operation, await service.ask(operation.request), 'complete');
    expect(upstream.calls).toHaveLength(2);
  });

  it.each([1, 2, 3])('D26 at most EXTERNAL_SHIPPING_MAX_ATTEMPTS=%i attempts, the first included', async (attempts) => {
    const { service, upstream } = await start({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: String(attempts) });
    upstream.respondWith(status(503));
    expectUnavailable(DETAILS, await service.ask(DETAILS.request), 'upstream-error');
    expect(upstream.calls).toHaveLength(attempts);
  });

  it('D22 the attempts of one request carry its id and its trace', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(status(503));
    await service.ask(DETAILS.request, { 'X-Request-Id': 'R-7' });
    expect(upstream.calls.length).toBeGreaterThan(1);
    expect(new Set(upstream.calls.map(({ headers }) => headers['x-request-id']))).toEqual(new Set(['R-7']));
    expect(new Set(upstream.calls.map(({ headers }) => headers.traceparent?.split('-')[1])).size).toBe(1);
    expect(new Set(upstream.calls.map(({ target }) => target)).size).toBe(1);
  });

  it.each(OPERATIONS)('D26 $name answers by EXTERNAL_SHIPPING_TIMEOUT_MS, retries included', async (operation) => {
    const { service, upstream } = await start({
      EXTERNAL_SHIPPING_TIMEOUT_MS: '500',
      EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '200',
      EXTERNAL_SHIPPING_MAX_ATTEMPTS: '10',
    });
    upstream.respondWith(connection.neverAnswers());
    const before = performance.now();
    expectProblem(await service.ask(operation.request, STRICT), 504);
    expect(performance.now() - before).toBeLessThan(500 + 500);
    await upstream.until(() => upstream.inFlight() === 0);
  });

  it('D26 a dead kept-alive connection is replaced, uncounted', async () => {
    const { service, upstream } = await start({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    upstream.respondWith(json());
    upstream.enqueue(connection.closesKeepAliveAsReused());
    expectAnswer(DETAILS, await service.ask('GetShippingDetails?Limit=1'), 'complete');
    expectAnswer(DETAILS, await service.ask('GetShippingDetails?Limit=2'), 'complete');
    expect([upstream.calls.length, upstream.reusesRefused]).toEqual([2, 1]);
  });

  it('D26 a caller who leaves is not waited for', async () => {
    const { service, upstream } = await start({});
    upstream.respondWith(connection.neverAnswers());
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
    scripted = await startScriptedService({ ...IMPATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '60000' });
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 60; call++) await scripted.service.ask(`GetShippingDetails?Limit=${call + 1}`);
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });
  afterAll(() => scripted.close());

  it.each(OPERATIONS)('$name is refused at once, and says when to try again', async (operation) => {
    await expectFailure(scripted.service, operation, 'circuit-open');
    expect(scripted.upstream.calls).toEqual([]);
    const strict = await scripted.service.ask(operation.request, STRICT);
    expect(Number(strict.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    // At first 60 s; how much is added at random is not said.
    expect(Number(strict.headers['retry-after'])).toBeLessThanOrEqual(120);
  });

  it('D25 readiness does not depend on it', async () => {
    expect((await scripted.service.get('/health/ready')).status).toBe(200);
  });

  it('D9 and D4: bad input is still 400', async () => {
    expect((await scripted.service.ask('GetShippingInfoById/-')).status).toBe(400);
    expect((await scripted.service.ask('GetShippingPagedList?PageNumber=0', STRICT)).status).toBe(400);
  });
});

describe('D26 the circuit closes again', () => {
  it('EXTERNAL_SHIPPING_BREAKER_OPEN_MS later, when the external system is well', async () => {
    const scripted = await startScriptedService({ ...IMPATIENT, EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '50' });
    scripted.upstream.respondWith(status(500));
    for (let call = 0; call < 40; call++) await scripted.service.ask(DETAILS.request);
    scripted.upstream.respondWith(json());
    let last = '';
    const deadline = performance.now() + 4_000;
    while (last !== 'complete' && performance.now() < deadline) {
      last = String((await scripted.service.ask(DETAILS.request)).headers['shipping-completeness']);
    }
    expect(last).toBe('complete');
    await scripted.close();
  });
});

describe('D20 saturated', () => {
  it.each(OPERATIONS.flatMap((operation) => ['0', '1'].map((queue) => [operation.name, queue, operation] as const)))(
    'D26 %s with the one place taken and EXTERNAL_SHIPPING_MAX_QUEUE=%s',
    async (_, queue, operation) => {
      const scripted = await startScriptedService({
        EXTERNAL_SHIPPING_MAX_CONCURRENT: '1',
        EXTERNAL_SHIPPING_MAX_QUEUE: queue,
        EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
        EXTERNAL_SHIPPING_TIMEOUT_MS: '20000',
        EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '20000',
      });
      scripted.upstream.respondWith(connection.neverAnswers());
      const taking = scripted.service.ask('GetShippingInfoById/TAKES-THE-PLACE');
      await scripted.upstream.waitForCalls(1);
      const before = performance.now();
      await expectFailure(scripted.service, operation, 'saturated');
      expect(performance.now() - before).toBeLessThan(2 * (250 + 500));
      expect(scripted.upstream.calls).toHaveLength(1);
      scripted.upstream.respondWith(json());
      scripted.upstream.hangUp();
      expectProblem(await taking, 500, 'external-system-failed');
      expectAnswer(operation, await scripted.service.ask(operation.request), 'complete');
      await scripted.close();
    },
  );
});

describe('D21 Prefer', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(IMPATIENT);
  });
  afterAll(() => scripted.close());

  const isStrict = async (prefer: string | string[]): Promise<boolean> => {
    // A sound answer before it and one behind it keep the circuit closed.
    scripted.upstream.respondWith(json());
    scripted.upstream.enqueue(json(), status(500), json());
    await scripted.service.ask(DETAILS.request);
    const answer = await scripted.service.get(`/api/Shipping/${DETAILS.request}`, { headers: { Prefer: prefer } });
    await scripted.service.ask(DETAILS.request);
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
    ['handling=strict'],
    ['Handling=strict'],
    ['HANDLING=strict'],
    ['handling = strict'],
    ['handling="strict"'],
    ['  handling=strict  '],
    ['respond-async, handling=strict'],
    ['respond-async,handling=strict,wait=10'],
    ['handling=strict; foo=bar'],
    ['handling=strict, handling=lenient'],
    [', handling=strict'],
    ['foo="bar", handling=strict'],
    ['foo="a,b", handling=strict'],
    ['foo="a\\"b", handling=strict'],
    [['respond-async', 'handling=strict']],
  ])('D21 %j is strict', async (prefer) => {
    expect(await isStrict(prefer)).toBe(true);
  });

  it.each<[string | string[]]>([
    ['handling=lenient'],
    ['handling'],
    ['handling='],
    ['handling=""'],
    ['strict'],
    ['handling=strictly'],
    ['handling=stric'],
    ['xhandling=strict'],
    ['handling-x=strict'],
    ['handling=lenient, handling=strict'],
    ['foo; handling=strict'],
    ['foo="handling=strict"'],
    ['foo="a, handling=strict"'],
    ['foo="a\\", handling=strict, b"'],
    ['return=minimal'],
    [''],
    [['handling=lenient', 'handling=strict']],
  ])('D21 %j is not', async (prefer) => {
    expect(await isStrict(prefer)).toBe(false);
  });

  it.each(OPERATIONS)(
    'D21 $name: a complete answer is the same for strict callers, and says that it is',
    async (operation) => {
      scripted.upstream.respondWith(json());
      const byDefault = await scripted.service.ask(operation.request);
      const strict = await scripted.service.ask(operation.request, STRICT);
      expectAnswer(operation, strict, 'complete');
      expect(strict.body).toBe(byDefault.body);
      expect([byDefault.headers['preference-applied'], strict.headers['preference-applied']]).toEqual([
        undefined,
        'handling=strict',
      ]);
    },
  );

  it.each(OPERATIONS)('D21 $name: a partial answer stays 200 for strict callers', async (operation) => {
    const odd = wireRecord({ TotalWeight: 'heavy' });
    scripted.upstream.respondWith(json(anyReply({ ...odd, Items: [odd], ShippingDetails: [odd] })));
    const answer = await scripted.service.ask(operation.request, STRICT);
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
      const answer = await scripted.service.ask(request, headers);
      if (request !== withQuery(SINGLE.request, 'x=1') || headers === STRICT) expect(answer.status).toBe(code);
      expect(answer.headers.vary).toMatch(/\bPrefer\b/);
    }
  });
});

describe('spec: Failure behaviour 3: an unexpected exception', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(IMPATIENT);
    scripted.upstream.respondWith(json());
    // Every place where an answer of the external system is read does it with this; no reply can make it throw.
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
    expectUnavailable(operation, await scripted.service.ask(operation.request), 'internal');
  });

  it.each(SINGLES)('$name is 500', async (operation) => {
    const answer = await scripted.service.ask(operation.request);
    expectProblem(answer, 500);
    expect(answer.body).not.toContain('secret');
  });

  it.each(OPERATIONS)('D21 $name is 500 for strict callers', async (operation) => {
    const answer = await scripted.service.ask(operation.request, STRICT);
    expectProblem(answer, 500);
    expect(answer.body).not.toContain('secret');
  });

  it('is logged as an error', async () => {
    const errors = (): number =>
      scripted.service.log.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1]) >= 50).length;
    const before = errors();
    await scripted.service.ask(DETAILS.request);
    await eventually(() => errors() > before);
  });
});

describe('D15 errors tell nothing of the inside', () => {
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
    const scripted = await startScriptedService(IMPATIENT);
    scripted.upstream.respondWith(behaviour);
    for (const operation of OPERATIONS) {
      for (const headers of [{}, STRICT]) {
        const answer = await scripted.service.ask(operation.request, headers);
        expectNoLeak(answer.body);
        expectNoLeak(JSON.stringify(answer.headers).replaceAll(/"server":"[^"]*"/g, ''));
        expect(answer.headers['set-cookie']).toBeUndefined();
      }
    }
    await scripted.close();
  });
});

import { completenessOf } from '../support/expectations';
import { useMonotonicClock } from '../support/monotonic-clock';
import { refusedUrl, UNRESOLVABLE_URL } from '../support/upstream/refused-url';
import { RunningService, type ScriptedService, useScriptedService } from '../support/service';
import { json, status } from '../support/upstream/responses';
import { sound } from '../support/upstream/certificates';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { EXTERNAL_FAULTS, HARMLESS } from './support/external-faults';
import {
  askAll,
  askInTurn,
  expectFailed,
  expectRecovered,
  PATIENT,
  POLICY_WINDOW_MS,
  QUICK,
} from './support/fault-responses';

// An unhandled rejection fails the test during which it happens; Jest sees to that.

/** One of each kind: test/contract/degradation.e2e.spec.ts has others, without retries. */
const FAULTS = new Set([
  '429 with Retry-After of 0 seconds',
  '503 with Retry-After of 30 seconds',
  '503 with Retry-After of a date in a minute',
  '503 with Retry-After of a date in the past',
  '503 with Retry-After of 400 digits',
  '429 with a negative Retry-After',
  '503 with Retry-After of no sense',
  'status 404',
  'status 503',
  'redirect 302',
  'nothing with 204',
  'bad JSON',
  'JSON 200,000 deep',
  'JSON of the wrong shape: lists that are objects, no usable Id',
  'a decompression bomb',
  'an endless body',
  'huge headers',
  'bytes that are no HTTP',
  'reset before headers',
  'reset in the middle of the body',
  'closed early against Content-Length',
]);
const SILENCE = ['accepts and never responds', 'stalls in the middle of the body'];

describe('faults of the external system', () => {
  const clock = useMonotonicClock();
  const patient = useScriptedService(PATIENT);
  const quick = useScriptedService(QUICK);

  beforeEach(() => {
    clock.advance(POLICY_WINDOW_MS);
  });
  afterAll(async () => {
    for (const { service, upstream } of [patient, quick]) {
      await service.close();
      await upstream.until(() => upstream.openSockets() === 0);
    }
  });

  // Eight calls and three retries at most: too few for the circuit to open, which would change the reason.
  it.each(EXTERNAL_FAULTS.filter(({ name }) => FAULTS.has(name)))(
    'D18 D20 D21 $name: the specified responses, then recovery',
    async (fault) => {
      patient.upstream.respondWith(() => fault.behaviour());
      const ask = fault.heavy === true ? askInTurn : askAll;
      for (const asked of await ask(patient.service)) expectFailed(asked, fault);
      await expectRecovered(patient);
    },
  );

  it.each(EXTERNAL_FAULTS.filter(({ name }) => SILENCE.includes(name)))(
    'D18 D26 $name: time-outs, then recovery',
    async (fault) => {
      quick.upstream.respondWith(() => fault.behaviour());
      for (const asked of await askAll(quick.service)) expectFailed(asked, fault);
      await expectRecovered(quick);
    },
  );

  it.each(HARMLESS)('D18 D19 $name: 200', async ({ behaviour, completeness }) => {
    patient.upstream.respondWith(() => behaviour());
    for (const { operation, answer } of await askInTurn(patient.service)) {
      expect([operation.name, answer.status, completenessOf(answer)]).toEqual([operation.name, 200, completeness]);
      expect(answer.body).not.toMatch(/polluted|SHP-FIRST|SMUGGLED|900719925474099/);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await expectRecovered(patient);
  });

  it('D20 flapping: every response is either complete or the specified failure', async () => {
    let turn = 0;
    patient.upstream.respondWith(() => (++turn % 4 === 0 ? status(503) : json()));
    for (let round = 0; round < 6; round += 1) {
      for (const asked of await askAll(patient.service)) {
        if (asked.answer.headers['shipping-completeness'] === 'complete') expect(asked.answer.status).toBe(200);
        else expectFailed(asked, { name: 'flapping', reason: 'upstream-error' });
      }
    }
    await expectRecovered(patient);
  });
});

describe('an external system that cannot be connected to', () => {
  const UNREACHABLE = { name: 'unreachable', reason: 'upstream-unreachable' } as const;

  async function expectUnreachable(url: string): Promise<void> {
    const service = await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url });
    try {
      for (const asked of await askAll(service)) expectFailed(asked, UNREACHABLE);
      expect((await service.get('/health/live')).status).toBe(200);
    } finally {
      await service.close();
    }
  }

  it('D20 a name that does not resolve', () => expectUnreachable(UNRESOLVABLE_URL));

  it('D20 a plain port where TLS is expected, and TLS where a plain port is expected', async () => {
    const plain = await ScriptedUpstream.start();
    await expectFails(plain.url.replace('http:', 'https:'), ['upstream-unreachable', 'upstream-timeout']);
    await plain.close();
    const secure = await ScriptedUpstream.start({ tls: sound });
    await expectFails(secure.url.replace('https:', 'http:'), ['upstream-unreachable', 'upstream-timeout', 'bad-reply']);
    await secure.close();
  });

  /** The reason depends on which side sends first; that it is a failure does not. */
  async function expectFails(url: string, reasons: readonly string[]): Promise<void> {
    const service = await RunningService.start({ ...QUICK, EXTERNAL_SHIPPING_BASE_URL: url });
    try {
      for (const { operation, strict, answer } of await askAll(service)) {
        if (!operation.single && !strict) {
          expect(reasons.map((reason) => `unavailable;reason=${reason}`)).toContain(completenessOf(answer));
        } else expect(answer.status).toBeGreaterThanOrEqual(500);
      }
    } finally {
      await service.close();
    }
  }

  it('D20 is complete again once the port is open', async () => {
    const url = await refusedUrl();
    const service = await RunningService.start({ ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: url });
    for (const asked of await askAll(service)) expectFailed(asked, UNREACHABLE);
    const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
    const recovered: Omit<ScriptedService, 'close'> = { service, upstream };
    await expectRecovered(recovered);
    await service.close();
    await upstream.close();
  });
});

import { refusedUrl } from '../support/upstream/refused-url';
import { RunningService, startScriptedService, type ScriptedService } from '../support/service';
import { delayed, json, redirect, status } from '../support/upstream/answers';
import { expired, selfSigned, sound, wrongHost } from '../support/upstream/certificates';
import { ScriptedUpstream } from '../support/upstream/scripted-upstream';
import { EXTERNAL_FAULTS, HARMLESS } from './support/external-faults';
import { askAll, askInTurn, expectFailed, expectRecovered, GRACE_MS, QUICK, TOTAL_MS } from './support/fault-answers';

// An unhandled rejection fails the test during which it happens; Jest sees to that.

const PATIENT_MS = 4_000;
const PATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: String(PATIENT_MS),
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '2000',
};

/** Runs with a service of its own; afterwards no connection to the upstream is left. */
async function withService(env: Record<string, string>, use: (scripted: ScriptedService) => Promise<void>) {
  const scripted = await startScriptedService(env);
  try {
    await use(scripted);
    await scripted.service.close();
    await scripted.upstream.until(() => scripted.upstream.openSockets() === 0);
  } finally {
    await scripted.close();
  }
}

describe('faults of the external system', () => {
  // Eight calls and three retries at most: too few for the circuit to open, which would change the reason.
  it.each(EXTERNAL_FAULTS)('$name: the specified answers in time, then recovery', async (fault) => {
    await withService(fault.heavy === true ? PATIENT : QUICK, async (scripted) => {
      scripted.upstream.respondWith(() => fault.behaviour());
      const ask = fault.heavy === true ? askInTurn : askAll;
      for (const timed of await ask(scripted.service)) {
        expectFailed(timed, fault);
        expect(timed.tookMs).toBeLessThan((fault.heavy === true ? PATIENT_MS : TOTAL_MS) + GRACE_MS);
      }
      await expectRecovered(scripted);
    });
  });

  it.each(HARMLESS)('$name: answered all the same', async ({ behaviour, completeness }) => {
    await withService(PATIENT, async (scripted) => {
      scripted.upstream.respondWith(() => behaviour());
      for (const { operation, answer, tookMs } of await askInTurn(scripted.service)) {
        expect([operation.name, answer.status, answer.headers['shipping-completeness']]).toEqual([
          operation.name,
          200,
          completeness,
        ]);
        expect(answer.body).not.toMatch(/polluted|SHP-FIRST|SMUGGLED|900719925474099/);
        expect(tookMs).toBeLessThan(PATIENT_MS + GRACE_MS);
      }
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      await expectRecovered(scripted);
    });
  });

  it('redirects are not followed, neither to another path nor to another host', async () => {
    const other = await ScriptedUpstream.start();
    await withService(QUICK, async ({ service, upstream }) => {
      upstream.enqueue(...Array.from({ length: 4 }, () => redirect(307, `${other.url}/elsewhere`)));
      upstream.respondWith(redirect(302, '/elsewhere'));
      await askAll(service);
      expect(upstream.calls).toHaveLength(8);
      expect(upstream.calls.filter(({ path }) => path === '/elsewhere')).toEqual([]);
      expect(other.calls).toEqual([]);
    });
    await other.close();
  });

  it('flapping: every answer is either in full or the specified failure', async () => {
    await withService(QUICK, async (scripted) => {
      let turn = 0;
      scripted.upstream.respondWith(() => (++turn % 4 === 0 ? status(503) : json()));
      for (let round = 0; round < 6; round += 1) {
        for (const timed of await askAll(scripted.service)) {
          if (timed.answer.headers['shipping-completeness'] === 'complete') expect(timed.answer.status).toBe(200);
          else expectFailed(timed, { name: 'flapping', reason: 'upstream-error' });
          expect(timed.tookMs).toBeLessThan(TOTAL_MS + GRACE_MS);
        }
      }
      await expectRecovered(scripted);
    });
  });

  it('latency that rises with the load: in full while it can be, time-outs after that, never late', async () => {
    await withService(QUICK, async (scripted) => {
      const { service, upstream } = scripted;
      upstream.respondWith(() => delayed(upstream.calls.length * 15));
      const rounds = [await askAll(service), await askAll(service), await askAll(service)];
      expect(rounds[0]?.map(({ answer }) => answer.headers['shipping-completeness'])).toEqual(
        Array(8).fill('complete'),
      );
      for (const timed of rounds.flat()) {
        if (timed.answer.headers['shipping-completeness'] === 'complete') expect(timed.answer.status).toBe(200);
        else expectFailed(timed, { name: 'slow', reason: 'upstream-timeout' });
        expect(timed.tookMs).toBeLessThan(TOTAL_MS + GRACE_MS);
      }
      expect(rounds[2]?.every(({ answer }) => answer.headers['shipping-completeness'] === 'complete')).toBe(false);
      await expectRecovered(scripted);
    });
  });
});

describe('an external system that cannot be connected to', () => {
  const UNREACHABLE = { name: 'unreachable', reason: 'upstream-unreachable' } as const;

  async function expectUnreachable(url: string): Promise<void> {
    const service = await RunningService.start({ ...QUICK, EXTERNAL_SHIPPING_BASE_URL: url });
    try {
      for (const timed of await askAll(service)) {
        expectFailed(timed, UNREACHABLE);
        expect(timed.tookMs).toBeLessThan(TOTAL_MS + GRACE_MS);
      }
      expect((await service.get('/health/live')).status).toBe(200);
    } finally {
      await service.close();
    }
  }

  it('refused port', async () => expectUnreachable(await refusedUrl()));
  it('a name that does not resolve', () => expectUnreachable('http://nothing.invalid'));

  it.each([
    ['an expired certificate', expired],
    ['a certificate of another host', wrongHost],
    ['a self-signed certificate', selfSigned],
    ['a certificate of an unknown authority', sound],
  ])('%s', async (_, tls) => {
    const upstream = await ScriptedUpstream.start({ tls });
    upstream.respondWith(json());
    await expectUnreachable(upstream.url);
    expect(upstream.calls).toEqual([]);
    await upstream.close();
  });

  it('a plain port where TLS is expected, and TLS where a plain port is expected', async () => {
    const plain = await ScriptedUpstream.start();
    await expectFails(plain.url.replace('http:', 'https:'), ['upstream-unreachable', 'upstream-timeout']);
    await plain.close();
    const secure = await ScriptedUpstream.start({ tls: sound });
    await expectFails(secure.url.replace('https:', 'http:'), ['upstream-unreachable', 'upstream-timeout', 'bad-reply']);
    await secure.close();
  });

  /** What the mistake looks like depends on who speaks first; that it is a failure in time does not. */
  async function expectFails(url: string, reasons: readonly string[]): Promise<void> {
    const service = await RunningService.start({ ...QUICK, EXTERNAL_SHIPPING_BASE_URL: url });
    try {
      for (const { operation, strict, answer, tookMs } of await askAll(service)) {
        if (!operation.single && !strict) {
          expect(reasons.map((reason) => `unavailable;reason=${reason}`)).toContain(
            answer.headers['shipping-completeness'],
          );
        } else expect(answer.status).toBeGreaterThanOrEqual(500);
        expect(tookMs).toBeLessThan(TOTAL_MS + GRACE_MS);
      }
    } finally {
      await service.close();
    }
  }

  it('answers in full again once the port is there', async () => {
    const url = await refusedUrl();
    const service = await RunningService.start({ ...QUICK, EXTERNAL_SHIPPING_BASE_URL: url });
    for (const timed of await askAll(service)) expectFailed(timed, UNREACHABLE);
    const upstream = await ScriptedUpstream.start({ port: Number(new URL(url).port) });
    await expectRecovered({ service, upstream, close: () => Promise.resolve() });
    await service.close();
    await upstream.close();
  });
});

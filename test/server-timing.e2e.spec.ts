import { useMonotonicClock } from './support/monotonic-clock';
import { DETAILS, OPERATIONS } from './support/operations';
import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import { held } from './support/upstream/held';

const ON = { SERVER_TIMING: 'true', EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' };
const BOTH = /^total;dur=\d+\.\d, external;dur=\d+\.\d$/;
const TOTAL = /^total;dur=\d+\.\d$/;

describe('Server-Timing', () => {
  const clock = useMonotonicClock();
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService(ON);
  });
  afterAll(() => scripted.close());
  beforeEach(() => {
    scripted.upstream.reset();
    scripted.upstream.respondWith(json());
  });

  const timingOf = async (path: string, headers: Record<string, string> = {}): Promise<[number, unknown]> => {
    const answer = await scripted.service.get(path, { headers });
    return [answer.status, answer.headers['server-timing']];
  };

  it.each(OPERATIONS)('$name has the durations of the request and of the external call', async ({ request }) => {
    expect(await timingOf(`/api/Shipping/${request}`)).toEqual([200, expect.stringMatching(BOTH)]);
  });

  it('counts milliseconds, those of the external system among the total', async () => {
    const { behaviour, release } = held();
    scripted.upstream.respondWith(behaviour);
    const asked = timingOf(`/api/Shipping/${DETAILS.request}`);
    await scripted.upstream.waitForCalls(1);
    clock.advance(1_000);
    release();
    const [, header] = await asked;
    const [total = NaN, external = NaN] = [...String(header).matchAll(/dur=([\d.]+)/g)].map(([, text]) => Number(text));
    expect(external).toBeGreaterThanOrEqual(1_000);
    expect(total).toBeGreaterThanOrEqual(external);
  });

  it.each([
    ['/api/Shipping/GetShippingDetails?Limit=0', 400],
    ['/api/Shipping/GetShippingPagedList?PageNumber=0', 400],
    ['/elsewhere', 404],
    ['/health/live', 200],
  ])('%s asks nothing of the external system, and says so', async (path, code) => {
    expect(await timingOf(path)).toEqual([code, expect.stringMatching(TOTAL)]);
  });
});

describe('Server-Timing, by default', () => {
  it('is not set', async () => {
    const { service, upstream, close } = await startScriptedService();
    upstream.respondWith(json());
    for (const { request } of OPERATIONS) {
      expect((await service.request(request)).headers['server-timing']).toBeUndefined();
    }
    expect((await service.get('/elsewhere')).headers['server-timing']).toBeUndefined();
    await close();
  });
});

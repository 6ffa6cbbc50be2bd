import { EXTERNAL_FAULTS, HARMLESS, STRICT_STATUS } from '../../test/faults/support/external-faults';
import { delayed, json, status } from '../../test/support/upstream/responses';
import { expired, selfSigned, sound, wrongHost } from '../../test/support/upstream/certificates';
import { ScriptedUpstream } from '../../test/support/upstream/scripted-upstream';
import { BOUNDS } from './bound-scenarios';
import type { Outcome } from './load';
import type { Scenario, Stage } from './scenario';

/** One of each kind: no response, a failed one, a bad one. */
const SHORT = new Set(['accepts and never responds', 'status 503', 'a decompression bomb']);

/** Retried, and no sign of ill health: the circuit stays closed, and the retry budget alone has to hold. */
const SUSTAINED = 'status 408';
const SUSTAINED_MS = 12_000;

function heal({ upstream }: Stage): void {
  upstream.respondWith(json());
}

async function leave({ upstream }: Stage): Promise<void> {
  await upstream.close();
}

async function comeBack(stage: Stage): Promise<void> {
  stage.upstream = await ScriptedUpstream.start({ port: stage.upstream.port });
  heal(stage);
}

/** Wire faults. At this rate, `heavy` ones take so much of a small machine that some calls come too late instead. */
const WIRE_FAULTS: readonly Scenario[] = EXTERNAL_FAULTS.map(({ name, behaviour, reason, noMatch, heavy }) => ({
  name,
  site: 'plain',
  short: SHORT.has(name),
  reasons: heavy === true ? [reason, 'upstream-timeout', 'saturated'] : [reason],
  noMatch,
  lastsMs: name === SUSTAINED ? SUSTAINED_MS : undefined,
  begin: ({ upstream }) => {
    upstream.respondWith(() => behaviour());
  },
  end: heal,
}));

const ODDITIES: readonly Scenario[] = HARMLESS.filter(({ name }) => !name.includes('200,000')).map(
  ({ name, behaviour, completeness }) => ({
    name,
    site: 'plain',
    short: SHORT.has(name),
    reasons: [],
    good: completeness === 'complete' ? 'complete' : 'partial',
    begin: ({ upstream }) => {
      upstream.respondWith(() => behaviour());
    },
    end: heal,
  }),
);

const PATTERNS: readonly Scenario[] = [
  {
    name: 'refused port',
    site: 'plain',
    short: true,
    reasons: ['upstream-unreachable', 'bad-reply'],
    begin: leave,
    end: comeBack,
  },
  {
    name: 'flapping every 250 ms',
    site: 'plain',
    short: true,
    reasons: ['upstream-error'],
    good: 'complete',
    begin: ({ upstream }) => {
      upstream.respondWith(() => (Math.floor(performance.now() / 250) % 2 === 0 ? status(500) : json()));
    },
    end: heal,
  },
  {
    name: 'latency rising under constant load',
    site: 'plain',
    short: false,
    reasons: ['upstream-timeout', 'saturated'],
    good: 'complete',
    begin: ({ upstream }) => {
      const since = performance.now();
      upstream.respondWith(() => delayed((performance.now() - since) / 3));
    },
    end: heal,
  },
];

const CERTIFICATES: readonly Scenario[] = (
  [
    ['an expired certificate', expired],
    ['a certificate of another host', wrongHost],
    ['a self-signed certificate', selfSigned],
  ] as const
).map(([name, tls], index) => ({
  name,
  site: 'tls',
  short: index === 0,
  reasons: ['upstream-unreachable', 'bad-reply'],
  begin: async (stage) => {
    await leave(stage);
    stage.upstream = await ScriptedUpstream.start({ port: stage.upstream.port, tls });
    heal(stage);
  },
  end: async (stage) => {
    await leave(stage);
    stage.upstream = await ScriptedUpstream.start({ port: stage.upstream.port, tls: sound });
    heal(stage);
  },
}));

const NO_NAME: Scenario = {
  name: 'a name that does not resolve',
  site: 'dns',
  short: false,
  reasons: ['upstream-unreachable'],
  begin: () => undefined,
  end: () => undefined,
};

/** Every fault of the external system, and what else the process is bounded against. */
export const SCENARIOS: readonly Scenario[] = [
  ...WIRE_FAULTS,
  ...PATTERNS,
  ...ODDITIES,
  ...CERTIFICATES,
  NO_NAME,
  ...BOUNDS,
];

/** What a stalled process tells everybody, as it may. */
export const SHED = 'overloaded';

/** Whether a client may get this outcome during this fault. */
export function isAllowed({ kind, strict, status: code, what }: Outcome, scenario: Scenario): boolean {
  if (what === scenario.good) return code === 200;
  if (kind === 'lookup' && scenario.noMatch === true && code === 404) return what === 'shipping-not-found';
  if (what === SHED) return code === 503;
  const refusals = scenario.reasons.length > 0 ? ['circuit-open'] : [];
  if (![...scenario.reasons, ...refusals].includes(what)) return false;
  if (strict) return code === STRICT_STATUS[what as keyof typeof STRICT_STATUS];
  return code === (kind === 'list' ? 200 : 500);
}

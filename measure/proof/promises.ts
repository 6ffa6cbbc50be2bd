import { SHED } from './scenarios';
import { FAULT_MS, type Lag, RATE, SETTINGS, TOTAL_MS, type Observation } from './trial';

/** What is promised of every fault, and how it is checked. */
interface Promised {
  readonly name: string;
  /** What broke the promise, allowing for this lag; `undefined`: nothing did. */
  readonly broken: (observation: Observation, lag: Lag) => string | undefined;
}

const GRACE_MS = 500;
const LEAST_RETRIES = 3;
const MAX_GROWTH_BYTES = 4 * 1024 * 1024;
const OPEN_MS = Number(SETTINGS.EXTERNAL_SHIPPING_BREAKER_OPEN_MS);
const JITTER = 0.2;
/** Calls that were made in the ten seconds for requests from before them. */
const MARGIN_CALLS = 5;
const MOST_SHED = 0.05;
/** With a longer lag, calls take longer than an attempt may, and the service sheds load. */
const TIMELY_MS = Number(SETTINGS.EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS) / 2;
const NONE: Lag = { longestMs: 0, totalMs: 0 };
/** What a service and an external system without a processor lead to, whatever the fault. */
const OF_LATENESS: readonly string[] = ['upstream-timeout', 'saturated', 'circuit-open', SHED];

/** The longest open time that the circuit can have come to while a fault lasted, if every probe failed at once. */
function longestOpenMs(faultMs: number): number {
  let nominal = OPEN_MS;
  for (let at = nominal * (1 - JITTER); at < faultMs; at += nominal * (1 - JITTER)) nominal *= 2;
  return nominal * (1 + JITTER);
}

const PROMISES: readonly Promised[] = [
  {
    name: 'the bound is reached and kept',
    broken: ({ ownPromise }) => ownPromise,
  },
  {
    name: 'every client gets what is specified',
    broken: ({ unspecified }, { longestMs }) => {
      const odd = unspecified.filter(({ what }) => longestMs <= TIMELY_MS || !OF_LATENESS.includes(what));
      const [first] = odd;
      return (
        first &&
        `${odd.length} outcomes, such as ${first.status} ${first.what} to a ${first.strict ? 'strict' : 'default'} ${first.kind}`
      );
    },
  },
  {
    name: 'somebody asked',
    broken: ({ outcomes }) =>
      outcomes.length >= (RATE * FAULT_MS) / 2_000 ? undefined : `${outcomes.length} outcomes`,
  },
  {
    name: `nobody waits longer than the total deadline + ${GRACE_MS} ms`,
    broken: ({ slowestMs, scenario }, { totalMs }) =>
      scenario.exhausts === true || slowestMs <= TOTAL_MS + GRACE_MS + totalMs
        ? undefined
        : `${Math.round(slowestMs)} ms`,
  },
  {
    name: 'at most 1.2 external calls per request over ten seconds',
    broken: ({ sustained: { calls, requests } }) => {
      const allowed = Math.max(1.2 * requests, requests + LEAST_RETRIES) + MARGIN_CALLS;
      return calls <= allowed ? undefined : `${calls} calls for ${requests} requests`;
    },
  },
  {
    name: 'a stalled process sheds next to nothing',
    broken: ({ outcomes, scenario }, { longestMs }) => {
      if (scenario.refuses === true || longestMs > TIMELY_MS) return undefined;
      const shed = outcomes.filter(({ what }) => what === SHED).length;
      return shed <= MOST_SHED * outcomes.length ? undefined : `${shed} of ${outcomes.length}`;
    },
  },
  {
    name: 'never more than 64 external calls in flight',
    broken: ({ mostInFlight }) => (mostInFlight <= 64 + 1 ? undefined : String(mostInFlight)),
  },
  {
    name: 'complete responses within two open periods of recovery',
    broken: ({ recoveryMs = 0, scenario }, { totalMs }) =>
      recoveryMs <= 2 * longestOpenMs((scenario.lastsMs ?? FAULT_MS) + totalMs) + totalMs
        ? undefined
        : `${recoveryMs} ms`,
  },
  {
    name: 'no growth in memory',
    broken: ({ growthBytes }) => (growthBytes <= MAX_GROWTH_BYTES ? undefined : `${growthBytes} bytes`),
  },
  {
    name: 'nothing left behind',
    broken: ({ leftovers }) => (leftovers.length === 0 ? undefined : leftovers.join(', ')),
  },
];

/**
 * The promises that an observation breaks, each with what broke it; times as they are, or relative to the lag of the machine
 * while it was made.
 */
export function brokenPromises(observation: Observation, times: 'absolute' | 'relative'): string[] {
  return PROMISES.flatMap(({ name, broken }) => {
    const cause = broken(observation, times === 'relative' ? observation.lag : NONE);
    return cause === undefined ? [] : [`${name}: ${cause}`];
  });
}

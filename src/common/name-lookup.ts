import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** libuv looks names up in at most half of its threads, of which there are four by default (D82). */
const THREADS = 64;
/** The packet of an answer may be lost, which the resolver of the system notices after five seconds only. */
const ANOTHER_AFTER_MS = 1000;
const MAX_OF_ONE_NAME = 2;

interface Running {
  readonly startedAt: number;
  readonly addresses: Promise<LookupAddress[]>;
}

/** The running lookups of each name, in the order of their start. */
const running = new Map<string, readonly Running[]>();

/**
 * Makes room for the lookups of names that get no answer: each takes a thread for ten seconds and more. Libuv reads the
 * variable when it starts its threads, which happens at the first lookup or asynchronous access to a file.
 */
export function allowManyLookups(): void {
  process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
}

/**
 * Looks a host name up as `dns.lookup` does, for the options of a connection. All connections share the lookups of one
 * name, so that a name without an answer takes at most two threads, and keeps no other name waiting (D82).
 */
export const sharedLookup: LookupFunction = (hostname, { family, hints, all }, callback) => {
  const key = JSON.stringify([hostname, family, hints]);
  const before = running.get(key) ?? [];
  let newest = before.at(-1);
  const isLate = performance.now() - (newest?.startedAt ?? 0) >= ANOTHER_AFTER_MS;
  if (newest === undefined || (isLate && before.length < MAX_OF_ONE_NAME)) {
    const started = { startedAt: performance.now(), addresses: addressesOf(hostname, { family, hints }) };
    running.set(key, [...before, started]);
    const end = (): void => {
      const others = (running.get(key) ?? []).filter((each) => each !== started);
      if (others.length > 0) running.set(key, others);
      else running.delete(key);
    };
    started.addresses.then(end, end);
    newest = started;
  }
  newest.addresses.then(
    (addresses) => {
      if (all === true) callback(null, addresses);
      else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    },
    (error: unknown) => {
      callback(error as NodeJS.ErrnoException, []);
    },
  );
};

function addressesOf(hostname: string, options: object): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error === null) resolve(addresses);
      else reject(error);
    });
  });
}

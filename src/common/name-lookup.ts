import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** libuv looks names up in at most half of its threads, of which there are four by default (D82). */
const THREADS = 64;
/** The running lookups. */
const running = new Map<string, Promise<LookupAddress[]>>();

/**
 * Makes room for the lookups of names that get no answer: each takes a thread for ten seconds and more. Libuv reads the
 * variable when it starts its threads, which happens at the first lookup or asynchronous access to a file.
 */
export function allowManyLookups(): void {
  process.env.UV_THREADPOOL_SIZE ??= String(THREADS);
}

/**
 * Looks a host name up as `dns.lookup` does, for the options of a connection. All connections share the lookup of one
 * name, so that a name without an answer takes one thread, and keeps no other name waiting (D82).
 */
export const sharedLookup: LookupFunction = (hostname, { family, hints, all }, callback) => {
  const key = JSON.stringify([hostname, family, hints]);
  const addresses =
    running.get(key) ?? lookup(hostname, { family, hints, all: true }).finally(() => running.delete(key));
  running.set(key, addresses);
  addresses.then(
    (found) => {
      if (all === true) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    },
    (error: unknown) => {
      callback(error as NodeJS.ErrnoException, []);
    },
  );
};

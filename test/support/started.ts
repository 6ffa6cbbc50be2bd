import { validResponse } from '../../testing/upstream/responses';
import { type Script, ScriptedUpstream } from '../../testing/upstream/scripted-upstream';

/**
 * Starts something for all tests of a suite, before the first of them, and closes it after the last.
 *
 * @returns a function that returns what was started
 */
export function useStarted<T extends { close(): unknown }>(start: () => Promise<T>): () => T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started?.close());
  return () => {
    if (started === undefined) throw new Error('Nothing is started before the hooks have run');
    return started;
  };
}

/** An external system for all tests of a suite. Before each test it is reset, and then responds by the script. */
export function useUpstream(script: Script = validResponse): () => ScriptedUpstream {
  const upstream = useStarted(() => ScriptedUpstream.start());
  beforeEach(() => {
    upstream().reset();
    upstream().respondWith(script);
  });
  return upstream;
}

/** An object whose members are looked up where they are read, because hooks start what they are. */
export function lookedUp<T extends object>(members: { readonly [Name in keyof T]: () => T[Name] }): T {
  const getters = Object.entries<() => unknown>(members).map(([name, get]) => [name, { get }] as const);
  return Object.defineProperties({}, Object.fromEntries(getters)) as T;
}

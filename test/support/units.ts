import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import type { CallContext } from '../../src/shipping/model/call-context';

const ROOT = resolve(__dirname, '../..');

/** What a query knows of a request nothing is special about. */
export function callContext(overrides: Partial<CallContext> = {}): CallContext {
  return { requestId: 'REQ-1', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`, strict: false, ...overrides };
}

/** Calls an exported function in a process that lives in another time zone, with and without arguments of JSON. */
export function callInZone(zone: string, module: string, name: string, calls: readonly unknown[][]): unknown {
  const code = `console.log(JSON.stringify(${JSON.stringify(calls)}.map((c) => require(${JSON.stringify(resolve(ROOT, module))}).${name}(...c) ?? null)))`;
  const env = { ...process.env, TZ: zone };
  return JSON.parse(
    execFileSync(process.execPath, ['-r', './test/support/register-swc.js', '-e', code], {
      cwd: ROOT,
      env,
      encoding: 'utf8',
    }),
  ) as unknown;
}

/** What a function throws; fails where it throws nothing. */
export function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown');
}

/**
 * How many times longer the work takes on eight times the input: about 8 where it is linear, 64 where it is quadratic.
 * Best of three rounds each; below the floor the clock says nothing, so that it counts as the floor.
 */
export function growthOnEightfold(size: number, prepare: (size: number) => () => unknown): number {
  const FLOOR_MS = 0.5;
  const timeOf = (length: number): number => {
    const rounds = Array.from({ length: 3 }, () => {
      const work = prepare(length);
      const start = performance.now();
      work();
      return performance.now() - start;
    });
    return Math.max(FLOOR_MS, Math.min(...rounds));
  };
  timeOf(size / 8);
  const small = timeOf(size);
  return timeOf(8 * size) / small;
}

/** Growth on eightfold input above this is no longer linear, with room for a busy machine. */
export const LINEAR_GROWTH = 24;

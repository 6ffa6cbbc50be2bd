import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

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

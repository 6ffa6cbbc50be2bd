import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

describe('D85 a Node that is too old ends with a sentence that names the versions', () => {
  it.each([
    [['src/main.ts']],
    [['src/sandbox/sandbox.process.ts']],
    [['tools/check-external/main.ts', 'check']],
    [['--require', './src/observability/tracing/preload.ts', '--eval', '']],
  ])('%j', (program) => {
    // As in Node 18, ES modules cannot be required.
    const options = ['--no-experimental-require-module', '-C', 'own-sources', '-r', './test/support/register-swc.js'];
    const { status, stdout, stderr } = spawnSync(process.execPath, [...options, ...program], {
      cwd: join(__dirname, '../..'),
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe(`This is Node ${process.version}; the service needs 20.19, 22.13, 24 or 26.\n`);
  });
});

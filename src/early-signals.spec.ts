import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

it('D85 a Node that is too old ends with a sentence that names the versions', () => {
  // As in Node 18, ES modules cannot be required.
  const options = ['--no-experimental-require-module', '-r', join(__dirname, '../test/support/register-swc.js')];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...options, join(__dirname, 'main.ts')], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(`This is Node ${process.version}; the service needs 20.19, 22.13, 24 or 26.\n`);
});

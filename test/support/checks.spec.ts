import { spawnSync } from 'node:child_process';

it('a program of checks ends with what is broken, and then with the counts, which CI reads', () => {
  const program = `const { checkThat, runProgram } = require('./measure/checks.ts');
    runProgram(async () => { checkThat('one', true, ''); checkThat('two', false, 'why'); });`;
  const { status, stdout } = spawnSync('node', ['-r', './test/support/register-swc.js', '-e', program], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, 'ok     one\nFAILED two: why\n\n  two\n1 passed, 1 failed\n']);
});

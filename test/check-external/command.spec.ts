import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { TABLE } from '../../tools/check-external/table';
import { PATIENT } from '../support/service';
import { useBrokenSystem } from './broken-system';
import { page } from './faults';

describe('npm run check:external', () => {
  const broken = useBrokenSystem();

  /** Exit code, standard output and standard error of the command, without npm. */
  function run(args: readonly string[]): Promise<[number, string, string]> {
    const hook = './test/support/register-swc.js';
    const script = ['-C', 'own-sources', '-r', hook, 'tools/check-external/main.ts', 'check'];
    const env = { PATH: process.env.PATH, ...PATIENT };
    const child = spawn(process.execPath, [...script, ...args], { cwd: join(__dirname, '../..'), env });
    const code = once(child, 'close').then(([exitCode]) => exitCode as number);
    return Promise.all([code, text(child.stdout), text(child.stderr)]);
  }

  it('exits with 0 where no rule is broken, a line for each rule', async () => {
    const [code, output, errors] = await run(['--url', broken().sandboxUrl]);
    expect([code, errors]).toEqual([0, '']);
    expect(output.match(/^pass /gm)).toHaveLength(TABLE.length);
  });

  it('exits with 1 where a rule is broken', async () => {
    broken().fault = page(({ PageNumber }) => ({ PageNumber: PageNumber - 1 }));
    const [code, output, errors] = await run(['--url', broken().upstream.url]);
    expect([code, errors]).toEqual([1, '']);
    const lines = [
      / page-values +Sent: PageNumber, PageSize; must come: .+ Page 2 of \d+: pageNumber, PageNumber: another than /,
      / paged-values +Sent: all requests; .+ PageNumber: another than the one requested/,
    ];
    expect(output.match(/^fail .*/gm)).toEqual(lines.map((line) => expect.stringMatching(line) as unknown));
  });

  it('prints its usage to standard output for --help, and exits with 0', async () => {
    expect(await run(['--help'])).toEqual([0, expect.stringMatching(/^Usage: shipping-query-service check.*\n$/), '']);
  });

  it('exits with 2 and one line without secret where it cannot run', async () => {
    const usage = /^Usage: shipping-query-service check.*\n$/;
    expect(await run(['--id', '..'])).toEqual([2, '', expect.stringMatching(usage)]);
    const invalid = /^Bad settings: EXTERNAL_SHIPPING_BASE_URL must (?!.*s3cret).*\n$/;
    expect(await run(['--url', 'http://user:s3cret@localhost'])).toEqual([2, '', expect.stringMatching(invalid)]);
  });
});

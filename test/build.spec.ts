import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..');
const BUILD = join(ROOT, 'tools/build.js');
const FILES = {
  'src/main.ts': 'export const answer: number = 1;\n',
  'src/other.ts': 'export const other: string = "a";\n',
  'src/other.spec.ts': 'it("is not built", () => undefined);\n',
  'src/openapi/page/favicon.svg': '<svg/>\n',
};

describe('npm run build', () => {
  let project: string;
  const path = (name: string): string => join(project, name);
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), text);
  };
  const build = (...options: string[]): { code: number | null; output: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [BUILD, ...options], {
      cwd: project,
      encoding: 'utf8',
    });
    return { code: status, output: stdout + stderr };
  };
  /** Whether a build takes place; a file in dist shows it. */
  const rebuilds = (...options: string[]): boolean => {
    write('dist/marker', '');
    expect(build(...options)).toEqual({ code: 0, output: '' });
    return !existsSync(path('dist/marker'));
  };

  beforeAll(() => {
    project = realpathSync(mkdtempSync(join(tmpdir(), 'build-')));
    for (const name of ['nest-cli.json', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
      cpSync(join(ROOT, name), path(name));
    }
    for (const [name, text] of Object.entries(FILES)) write(name, text);
    symlinkSync(realpathSync(join(ROOT, 'node_modules')), path('node_modules'));
  });
  afterAll(() => {
    rmSync(project, { recursive: true });
  });

  it('makes dist with the assets and without the specs', () => {
    expect(build()).toEqual({ code: 0, output: '' });
    expect(readFileSync(path('dist/main.js'), 'utf8')).toContain('answer = 1');
    expect(JSON.parse(readFileSync(path('dist/main.js.map'), 'utf8'))).toMatchObject({ sources: ['../src/main.ts'] });
    expect(existsSync(path('dist/openapi/page/favicon.svg'))).toBe(true);
    expect(existsSync(path('dist/other.spec.js'))).toBe(false);
  });

  it('always builds; with --if-changed not where nothing has changed', () => {
    expect(rebuilds()).toBe(true);
    expect(rebuilds('--if-changed')).toBe(false);
    write('src/other.spec.ts', 'it("is not built either", () => undefined);\n');
    expect(rebuilds('--if-changed')).toBe(false);
  });

  it.each([
    ['a changed file', () => { write('src/other.ts', 'export const other: string = "b";\n'); }],
    ['a new file', () => { write('src/new.ts', 'export const added = 1;\n'); }],
    ['a removed file', () => { rmSync(path('src/new.ts')); }],
    ['a changed configuration', () => { write('package.json', '{ "private": true }\n'); }],
    ['a lost result', () => { rmSync(path('dist/main.js')); }],
  ])('--if-changed builds after %s', (_, change) => {
    expect(rebuilds('--if-changed')).toBe(false);
    change();
    expect(rebuilds('--if-changed')).toBe(true);
    expect(existsSync(path('dist/new.js'))).toBe(existsSync(path('src/new.ts')));
  }); // prettier-ignore

  it('a failed build names the error and leaves the last one, and is not taken for done', () => {
    write('src/other.ts', 'export const other: string = 1;\n');
    write('dist/marker', '');
    for (const options of [[], ['--if-changed']]) {
      expect(build(...options)).toEqual({ code: 1, output: expect.stringContaining('src/other.ts') });
      expect([existsSync(path('dist/marker')), existsSync(path('dist/main.js'))]).toEqual([true, true]);
    }
  });

  it('what an interrupted build has left does not get into the next one', () => {
    write('src/other.ts', 'export const other: string = "c";\n');
    write('dist.next/half.js', '');
    write('dist.previous/old.js', '');
    expect(rebuilds('--if-changed')).toBe(true);
    for (const name of ['dist/half.js', 'dist.next', 'dist.previous']) expect(existsSync(path(name))).toBe(false);
  });

  it('needs no compiler where dist is up to date or alone, and says so where it does', () => {
    rmSync(path('node_modules'));
    expect(rebuilds('--if-changed')).toBe(false);
    write('src/other.ts', 'export const other: string = "d";\n');
    expect(build('--if-changed')).toEqual({ code: 1, output: expect.stringContaining('run npm ci') });
    rmSync(path('src'), { recursive: true });
    expect(rebuilds('--if-changed')).toBe(false);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { thrownBy } from '../../test/support/units';
import { EnvironmentReader, type TextPattern } from './environment-reader';
import { SettingsError } from './setting-definition';

/** The errors of reading one value, and the value. */
function read<T>(value: string | undefined, how: (reader: EnvironmentReader) => T): { value: T; errors: string[] } {
  const reader = new EnvironmentReader({ NAME: value });
  const result = how(reader);
  try {
    reader.throwErrors();
    return { value: result, errors: [] };
  } catch (error) {
    return { value: result, errors: [...(error as SettingsError).errors] };
  }
}

const integer = (reader: EnvironmentReader): number =>
  reader.integer('NAME', { default: 7, min: 2, max: 100, help: '' });
const pattern = (reader: EnvironmentReader): TextPattern => reader.pattern('NAME', { default: '[a-z]+', help: '' });
const secret = (reader: EnvironmentReader): string | undefined => reader.secret('NAME', { help: '' })?.value;
const origins = (reader: EnvironmentReader): readonly string[] => reader.origins('NAME', { help: '' });
const baseUrl = (reader: EnvironmentReader): string | undefined => reader.baseUrl('NAME', { help: '' })?.href;
const path = (reader: EnvironmentReader): string => reader.path('NAME', { default: '/default', help: '' });
const idPath = (reader: EnvironmentReader): string =>
  reader.path('NAME', { default: '/default/{id}', placeholder: '{id}', help: '' });

describe('EnvironmentReader', () => {
  it.each([undefined, '', ' ', '\t '])('D26 treats %j as unset', (value) => {
    expect(read(value, (reader) => reader.text('NAME', { default: 'fallback', help: '' })).value).toBe('fallback');
    expect(read(value, integer)).toEqual({ value: 7, errors: [] });
    expect(read(value, (reader) => reader.choice('NAME', ['a', 'b'], { default: 'b', help: '' }))).toEqual({
      value: 'b',
      errors: [],
    });
    expect(read(value, pattern).value.source).toBe('^(?:[a-z]+)$');
    expect(read(value, secret)).toEqual({ value: undefined, errors: [] });
    expect(read(value, origins)).toEqual({ value: [], errors: [] });
    expect(read(value, baseUrl)).toEqual({ value: undefined, errors: [] });
    expect(read(value, path)).toEqual({ value: '/default', errors: [] });
  });

  it.each([
    ['2', 2],
    ['100', 100],
    ['007', 7],
    [' 8 ', 8],
  ])('reads the integer %j', (value, expected) => {
    expect(read(value, integer)).toEqual({ value: expected, errors: [] });
  });

  it.each(['1', '101', '-5', '+5', '5.0', '5e0', '0x5', '5 0', '5s', '٥', 'NaN', 'Infinity', '9'.repeat(400)])(
    'refuses the integer %j',
    (value) => {
      expect(read(value, integer).errors).toEqual(['NAME must be an integer from 2 to 100']);
    },
  );

  it('reads choices as they are spelled', () => {
    const choice = (reader: EnvironmentReader): string =>
      reader.choice('NAME', ['red', 'green'], { default: 'red', help: '' });
    expect(read('green', choice)).toEqual({ value: 'green', errors: [] });
    for (const value of ['Green', 'blue', 'red,green', '__proto__']) {
      expect(read(value, choice)).toEqual({ value: 'red', errors: ['NAME must be one of red, green'] });
    }
  });

  it('D9 reads a pattern that has to match the whole text, anchored or not', () => {
    for (const source of ['SHP-[0-9]+', '^SHP-[0-9]+$']) {
      const { value, errors } = read(source, pattern);
      expect(errors).toEqual([]);
      expect(['SHP-12', 'xSHP-12', 'SHP-12x', 'SHP-12\n', 'SHP-'].map((text) => value.test(text))).toEqual([
        true,
        false,
        false,
        false,
        false,
      ]);
    }
    const alternatives = read('a|b', pattern).value;
    expect(['a', 'b', 'ax', 'xb'].map((text) => alternatives.test(text))).toEqual([true, true, false, false]);
  });

  it.each(['[', '(', '*', '\\', '(?<a', 'a{2,1}', 'a)(b', 'a)|(?:b'])(
    'D26 refuses %j, which is no regular expression',
    (value) => {
      const { errors, value: used } = read(value, pattern);
      expect(errors).toEqual(['NAME must be a regular expression']);
      expect(used.test('abc')).toBe(true);
    },
  );

  it('D26 reads a secret that can stand in a header', () => {
    expect(read('t0ken~!-._/+=', secret)).toEqual({ value: 't0ken~!-._/+=', errors: [] });
  });

  it.each(['two words', 'line\nbreak', 'line\r\nX-Evil: 1', 'caf\u00e9', 'a\u0000b', 'tab\there'])(
    'D26 refuses the secret %j',
    (value) => {
      const { errors, value: used } = read(value, secret);
      expect([used, errors]).toEqual([undefined, ['NAME must be visible ASCII characters without spaces']]);
    },
  );

  it('D26 reads origins', () => {
    const value = ' https://a.example , http://localhost:4200,,https://b.example:8443';
    expect(read(value, origins)).toEqual({
      value: ['https://a.example', 'http://localhost:4200', 'https://b.example:8443'],
      errors: [],
    });
  });

  it.each([
    ...['*', 'null', 'a.example', 'https://a.example/', 'https://a.example/x', 'https://a.example:443'],
    ...['ftp://a.example', 'https://A.example', 'https://u:p@a.example', 'https://ok.example,*', 'https://*.example?'],
  ])('D26 refuses the origins %j', (value) => {
    expect(read(value, origins).errors).toEqual([
      'NAME must be origins such as https://example.com, separated by commas',
    ]);
  });

  it.each([
    ['http://host', 'http://host/'],
    ['https://host:8443/base', 'https://host:8443/base'],
    ['https://host/base/', 'https://host/base/'],
    ['HTTP://HOST/Base', 'http://host/Base'],
    ['http://[::1]:3000', 'http://[::1]:3000/'],
  ])('D16 reads the base URL %j', (value, expected) => {
    expect(read(value, baseUrl)).toEqual({ value: expected, errors: [] });
  });

  it.each([
    ['host', 'must be an absolute http or https URL'],
    ['/path', 'must be an absolute http or https URL'],
    ['//host/path', 'must be an absolute http or https URL'],
    ['http://', 'must be an absolute http or https URL'],
    ['http://host:99999', 'must be an absolute http or https URL'],
    ['ftp://host', 'must be an absolute http or https URL'],
    ['file:///etc/passwd', 'must be an absolute http or https URL'],
    ['javascript:alert(1)', 'must be an absolute http or https URL'],
    ['http://user@host', 'must not carry credentials'],
    ['http://user:word@host', 'must not carry credentials'],
    ['http://:word@host', 'must not carry credentials'],
    ['http://host?a=b', 'must not carry a query'],
    ['http://host/?', 'must not carry a query'],
    ['http://host/#a', 'must not carry a fragment'],
    ['http://host#', 'must not carry a fragment'],
  ])('D16 refuses the base URL %j', (value, rule) => {
    expect(read(value, baseUrl).errors).toEqual([`NAME ${rule}`]);
  });

  const redisUrl = (reader: EnvironmentReader): string | undefined => reader.redisUrl('NAME', { help: '' })?.href;

  it.each([
    'redis://host',
    'redis://host:6379',
    'rediss://user:p%40ss@host:6380/2',
    'redis://:word@[::1]:1',
    'redis://host/',
  ])('reads the address of a Redis %j', (value) => {
    expect(read(value, redisUrl)).toEqual({ value, errors: [] });
  });

  const EXAMPLE = 'must be a URL such as redis://host:6379 or rediss://user:password@host:6380/0';
  it.each([
    ['host:6379', EXAMPLE],
    ['http://host', EXAMPLE],
    ['redis://', EXAMPLE],
    ['redis:host', EXAMPLE],
    ['redis://host:99999', EXAMPLE],
    ['redis+sentinel://host', EXAMPLE],
    ['redis://host/name', 'must have nothing but the number of a database as its path'],
    ['redis://host/1/2', 'must have nothing but the number of a database as its path'],
    ['redis://host?family=6', 'must not carry a query'],
    ['redis://host#a', 'must not carry a fragment'],
    ['redis://:p%zz@host', 'must carry user and password percent-encoded'],
  ])('refuses the address of a Redis %j', (value, rule) => {
    expect(read(value, redisUrl).errors).toEqual([`NAME ${rule}`]);
  });

  it('D16 lists all errors of a base URL', () => {
    expect(read('http://user:word@host/?a#b', baseUrl).errors).toEqual([
      'NAME must not carry credentials',
      'NAME must not carry a query',
      'NAME must not carry a fragment',
    ]);
  });

  it.each(['/', '/a', '/a/b/', '/a-b_c.d~e', '/v1/%7Bx', '/...'])('D16 reads the path %j', (value) => {
    expect(read(value, path)).toEqual({ value, errors: [] });
  });

  it.each(['/{id}', '/a/{id}/b', '/a-{id}.json'])('D16 reads the path %j with its placeholder', (value) => {
    expect(read(value, idPath)).toEqual({ value, errors: [] });
  });

  it.each([
    ...['a', 'http://evil.example/a', '//evil.example/a', '/a?b', '/a#b', '/a/../b', '/./a', '/a/%2e%2e/b', '/%2E'],
    ...['/a b', '/a\tb', '/a\\b', '\\\\evil.example', '/\\evil.example', '/é', '/{id}', '/a{', '/a}', '/a"b', '/a<b>'],
  ])('D16 refuses the path %j', (value) => {
    expect(read(value, path).errors).toEqual([expect.stringMatching(/^NAME must be a path that starts with one \//)]);
  });

  it.each(['/a', '/{id}/{id}', '/{ID}', '/%7Bid%7D'])('D16 refuses %j as path of an identifier', (value) => {
    expect(read(value, idPath).errors).toContain('NAME must hold {id} once');
  });

  it.each(['/{id}/../a', '/{id}?a', '/{id}/{other}', '{id}', '//{id}'])(
    'D16 refuses %j, whatever its placeholder',
    (value) => {
      expect(read(value, idPath).errors).toEqual([expect.stringMatching(/^NAME must be a path/)]);
    },
  );

  describe('secrets from a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    afterAll(() => {
      rmSync(folder, { recursive: true });
    });
    const file = (content: string): string => {
      const path = join(mkdtempSync(join(folder, 'zqxjk-')), 'secret');
      writeFileSync(path, content);
      return path;
    };
    const fromEnv = <T>(env: NodeJS.ProcessEnv, how: (reader: EnvironmentReader) => T): [T, readonly string[]] => {
      const reader = new EnvironmentReader(env);
      const value = how(reader);
      try {
        reader.throwErrors();
        return [value, []];
      } catch (error) {
        return [value, (error as SettingsError).errors];
      }
    };

    it.each(['t0ken', 't0ken\n', '\ufefft0ken\r\n'])('reads %j, without the space around it', (content) => {
      expect(fromEnv({ NAME_FILE: file(content) }, secret)).toEqual(['t0ken', []]);
      expect(fromEnv({ NAME: ' ', NAME_FILE: file(content) }, secret)).toEqual(['t0ken', []]);
    });

    it('reads digests, one a line or separated by commas, and the address of a Redis', () => {
      const digests = (reader: EnvironmentReader): number => reader.digests('NAME', { help: '' }).length;
      const [first, second] = ['ab'.repeat(32), 'cd'.repeat(32)];
      expect(fromEnv({ NAME_FILE: file(`${first}\r\n${second}\n`) }, digests)).toEqual([2, []]);
      expect(fromEnv({ NAME_FILE: file(`${first}, ${second}`) }, digests)).toEqual([2, []]);
      expect(fromEnv({ NAME_FILE: file('redis://:word@host\n') }, redisUrl)).toEqual(['redis://:word@host', []]);
      expect(fromEnv({ NAME_FILE: file('redis://:zqxjk@host?a=b') }, redisUrl)[1]).toEqual([
        'NAME must not carry a query',
      ]);
    });

    it.each([
      ['both are set', { NAME: 'zqxjk', NAME_FILE: file('zqxjk') }, 'must not be set where NAME is'],
      ['an empty file', { NAME_FILE: file(' \n') }, 'must name a file that is not empty'],
      ['no file', { NAME_FILE: join(folder, 'zqxjk') }, 'must name a readable file of at most 65536 bytes'],
      ['a folder', { NAME_FILE: folder }, 'must name a readable file of at most 65536 bytes'],
      ['a large file', { NAME_FILE: file('z'.repeat(65_537)) }, 'must name a readable file of at most 65536 bytes'],
    ])('refuses %s by name', (_, env, rule) => {
      expect(fromEnv(env, secret)[1]).toEqual([`NAME_FILE ${rule}`]);
    });

    it('refuses a bad content without repeating it', () => {
      expect(fromEnv({ NAME_FILE: file('zqxjk zqxjk') }, secret)).toEqual([
        undefined,
        ['NAME must be visible ASCII characters without spaces'],
      ]);
    });
  });

  it('D26 lists all errors, one per line', () => {
    const reader = new EnvironmentReader({ A: 'x', B: 'y' });
    reader.integer('A', { default: 1, min: 0, max: 9, help: '' });
    reader.choice('B', ['a'], { default: 'a', help: '' });
    reader.addError('C', 'must be set');
    const error = thrownBy(() => {
      reader.throwErrors();
    });
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message).toBe(
      'Bad settings:\n  - A must be an integer from 0 to 9\n  - B must be one of a\n  - C must be set',
    );
  });

  it('records the definition of each variable', () => {
    const reader = new EnvironmentReader({});
    reader.section('Numbers');
    reader.integer('A', { default: 1, min: 0, max: 9, help: 'First.' });
    reader.optionalInteger('B', { min: 1, max: 2, help: 'Second.' });
    expect(reader.definitions).toEqual([
      { name: 'A', section: 'Numbers', default: '1', allowed: 'an integer from 0 to 9', help: 'First.' },
      { name: 'B', section: 'Numbers', default: undefined, allowed: 'an integer from 1 to 2', help: 'Second.' },
    ]);
  });
});

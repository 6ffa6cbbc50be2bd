import { thrownBy } from '../../test/support/units';
import { EnvironmentReader, SettingsError } from './environment-reader';

/** The faults that reading one value gives, and the value. */
function read<T>(value: string | undefined, how: (reader: EnvironmentReader) => T): { value: T; faults: string[] } {
  const reader = new EnvironmentReader({ NAME: value });
  const result = how(reader);
  try {
    reader.throwFaults();
    return { value: result, faults: [] };
  } catch (error) {
    return { value: result, faults: [...(error as SettingsError).faults] };
  }
}

const integer = (reader: EnvironmentReader): number => reader.integer('NAME', 7, 2, 100);
const pattern = (reader: EnvironmentReader): RegExp => reader.pattern('NAME', '[a-z]+');
const secret = (reader: EnvironmentReader): string | undefined => reader.secret('NAME');
const origins = (reader: EnvironmentReader): readonly string[] => reader.origins('NAME');
const baseUrl = (reader: EnvironmentReader): string | undefined => reader.baseUrl('NAME')?.href;
const path = (reader: EnvironmentReader): string => reader.path('NAME', '/default');
const idPath = (reader: EnvironmentReader): string => reader.path('NAME', '/default/{id}', '{id}');

describe('EnvironmentReader', () => {
  it.each([undefined, '', ' ', '\t '])('D26 takes %j for unset', (value) => {
    expect(read(value, (reader) => reader.text('NAME', 'fallback')).value).toBe('fallback');
    expect(read(value, integer)).toEqual({ value: 7, faults: [] });
    expect(read(value, (reader) => reader.choice('NAME', ['a', 'b'], 'b'))).toEqual({ value: 'b', faults: [] });
    expect(read(value, pattern).value.source).toBe('^(?:[a-z]+)$');
    expect(read(value, secret)).toEqual({ value: undefined, faults: [] });
    expect(read(value, origins)).toEqual({ value: [], faults: [] });
    expect(read(value, baseUrl)).toEqual({ value: undefined, faults: [] });
    expect(read(value, path)).toEqual({ value: '/default', faults: [] });
  });

  it.each([
    ['2', 2],
    ['100', 100],
    ['007', 7],
    [' 8 ', 8],
  ])('reads the integer %j', (value, expected) => {
    expect(read(value, integer)).toEqual({ value: expected, faults: [] });
  });

  it.each(['1', '101', '-5', '+5', '5.0', '5e0', '0x5', '5 0', '5s', '٥', 'NaN', 'Infinity', '9'.repeat(400)])(
    'refuses the integer %j',
    (value) => {
      expect(read(value, integer).faults).toEqual(['NAME must be an integer from 2 to 100']);
    },
  );

  it('reads choices as they are spelled', () => {
    const choice = (reader: EnvironmentReader): string => reader.choice('NAME', ['red', 'green'], 'red');
    expect(read('green', choice)).toEqual({ value: 'green', faults: [] });
    for (const value of ['Green', 'blue', 'red,green', '__proto__']) {
      expect(read(value, choice)).toEqual({ value: 'red', faults: ['NAME must be one of red, green'] });
    }
  });

  it('D9 reads a pattern that has to match the whole text, anchored or not', () => {
    for (const source of ['SHP-[0-9]+', '^SHP-[0-9]+$']) {
      const { value, faults } = read(source, pattern);
      expect(faults).toEqual([]);
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
      const { faults, value: used } = read(value, pattern);
      expect(faults).toEqual(['NAME must be a regular expression']);
      expect(used.test('abc')).toBe(true);
    },
  );

  it('D26 reads a secret that can stand in a header', () => {
    expect(read('t0ken~!-._/+=', secret)).toEqual({ value: 't0ken~!-._/+=', faults: [] });
  });

  it.each(['two words', 'line\nbreak', 'line\r\nX-Evil: 1', 'caf\u00e9', 'a\u0000b', 'tab\there'])(
    'D26 refuses the secret %j',
    (value) => {
      const { faults, value: used } = read(value, secret);
      expect([used, faults]).toEqual([undefined, ['NAME must be visible ASCII characters without spaces']]);
    },
  );

  it('D26 reads origins', () => {
    const value = ' https://a.example , http://localhost:4200,,https://b.example:8443';
    expect(read(value, origins)).toEqual({
      value: ['https://a.example', 'http://localhost:4200', 'https://b.example:8443'],
      faults: [],
    });
  });

  it.each([
    ...['*', 'null', 'a.example', 'https://a.example/', 'https://a.example/x', 'https://a.example:443'],
    ...['ftp://a.example', 'https://A.example', 'https://u:p@a.example', 'https://ok.example,*', 'https://*.example?'],
  ])('D26 refuses the origins %j', (value) => {
    expect(read(value, origins).faults).toEqual([
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
    expect(read(value, baseUrl)).toEqual({ value: expected, faults: [] });
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
    expect(read(value, baseUrl).faults).toEqual([`NAME ${rule}`]);
  });

  const redisUrl = (reader: EnvironmentReader): string | undefined => reader.redisUrl('NAME')?.href;

  it.each([
    'redis://host',
    'redis://host:6379',
    'rediss://user:p%40ss@host:6380/2',
    'redis://:word@[::1]:1',
    'redis://host/',
  ])('reads the address of a Redis %j', (value) => {
    expect(read(value, redisUrl)).toEqual({ value, faults: [] });
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
    expect(read(value, redisUrl).faults).toEqual([`NAME ${rule}`]);
  });

  it('D16 names everything that is wrong with a base URL', () => {
    expect(read('http://user:word@host/?a#b', baseUrl).faults).toEqual([
      'NAME must not carry credentials',
      'NAME must not carry a query',
      'NAME must not carry a fragment',
    ]);
  });

  it.each(['/', '/a', '/a/b/', '/a-b_c.d~e', '/v1/%7Bx', '/...'])('D16 reads the path %j', (value) => {
    expect(read(value, path)).toEqual({ value, faults: [] });
  });

  it.each(['/{id}', '/a/{id}/b', '/a-{id}.json'])('D16 reads the path %j with its placeholder', (value) => {
    expect(read(value, idPath)).toEqual({ value, faults: [] });
  });

  it.each([
    ...['a', 'http://evil.example/a', '//evil.example/a', '/a?b', '/a#b', '/a/../b', '/./a', '/a/%2e%2e/b', '/%2E'],
    ...['/a b', '/a\tb', '/a\\b', '\\\\evil.example', '/\\evil.example', '/é', '/{id}', '/a{', '/a}', '/a"b', '/a<b>'],
  ])('D16 refuses the path %j', (value) => {
    expect(read(value, path).faults).toEqual([expect.stringMatching(/^NAME must be a path that starts with one \//)]);
  });

  it.each(['/a', '/{id}/{id}', '/{ID}', '/%7Bid%7D'])('D16 refuses %j as path of an identifier', (value) => {
    expect(read(value, idPath).faults).toContain('NAME must hold {id} once');
  });

  it.each(['/{id}/../a', '/{id}?a', '/{id}/{other}', '{id}', '//{id}'])(
    'D16 refuses %j, whatever its placeholder',
    (value) => {
      expect(read(value, idPath).faults).toEqual([expect.stringMatching(/^NAME must be a path/)]);
    },
  );

  it('D26 names all faults at once, one a line', () => {
    const reader = new EnvironmentReader({ A: 'x', B: 'y' });
    reader.integer('A', 1, 0, 9);
    reader.choice('B', ['a'], 'a');
    reader.fault('C', 'must be set');
    const error = thrownBy(() => {
      reader.throwFaults();
    });
    expect(error).toBeInstanceOf(SettingsError);
    expect((error as Error).message).toBe(
      'Bad settings:\n  - A must be an integer from 0 to 9\n  - B must be one of a\n  - C must be set',
    );
  });
});

import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, ValidateBy } from 'class-validator';
import * as fc from 'fast-check';
import { bindingOf } from '../../../test/support/binding';
import { thrownBy } from '../../../test/support/units';
import { ParameterBinder } from './parameter-binder';
import { Parameter, type ParameterOptions } from './parameter.decorator';
import { RawQuery } from '../query-string';

const Whole = (): PropertyDecorator =>
  Transform(({ value }) => (/^[0-9]+$/.test(value as string) ? Number(value) : NaN));

const Together = (other: string): PropertyDecorator =>
  ValidateBy({
    name: 'together',
    validator: {
      validate: (_, details) => (details?.object as Record<string, unknown>)[other] !== undefined,
      defaultMessage: () => `needs ${other}`,
    },
  });

class BaseParams {
  @Parameter({ plainMessage: 'Bad page' })
  @Whole()
  @IsInt()
  Page = 1;
}

class SampleParams extends BaseParams {
  @Parameter({ plainMessage: 'Bad size' })
  @Whole()
  @IsInt()
  Size = 10;

  @Parameter()
  @IsOptional()
  @Whole()
  @IsInt({ message: 'is no integer' })
  @Max(5, { message: 'is too large' })
  Limit?: number;

  @Parameter({ keepBlank: true })
  Sort?: string;

  @Parameter()
  @IsOptional()
  @Together('Limit')
  Text?: string;

  Hidden?: string;
}

/** Options that depend on settings. */
class LimitedSize implements ParameterOptions {
  readonly default: number | undefined;

  constructor(
    readonly plainMessage: string,
    fallback?: number,
  ) {
    this.default = fallback;
  }
}

class LimitedParams {
  @Parameter(LimitedSize)
  @Whole()
  @IsInt()
  Size = 10;
}

class NoParams {}

const binder = new ParameterBinder(SampleParams, () => undefined);

function bind(query: string, strict = false, by: ParameterBinder<object> = binder): Record<string, unknown> {
  const raw = new RawQuery(query.replace(/\P{ASCII}/gu, encodeURIComponent));
  return by.bindQuery({ raw, strict, reply }) as Record<string, unknown>;
}

/** The headers that binding sets. */
const header = jest.fn();
const reply = { header };

/** What is wrong with each parameter; a plain message where that is the answer. */
function faults(
  query: string,
  strict = false,
  by?: ParameterBinder<object>,
): string | Readonly<Record<string, string>> {
  const { plain, faults: all, values } = bindingOf(() => bind(query, strict, by));
  expect(values).toBeUndefined();
  return plain ?? all ?? {};
}

describe('options of a provider', () => {
  const limited = (options: LimitedSize): ParameterBinder<object> =>
    new ParameterBinder(LimitedParams, (type) => (type === (LimitedSize as Type) ? (options as never) : undefined));

  it('give the plain message and the default', () => {
    expect(bind('', false, limited(new LimitedSize('Bad', 5)))).toEqual({ Size: 5 });
    expect(bind('Size=7', false, limited(new LimitedSize('Bad', 5)))).toEqual({ Size: 7 });
    expect(bind('', false, limited(new LimitedSize('Bad')))).toEqual({ Size: 10 });
    expect(bindingOf(() => bind('Size=x', false, limited(new LimitedSize('Bad'))))).toEqual({ plain: 'Bad' });
  });

  it('must be provided', () => {
    expect(() => new ParameterBinder(LimitedParams, () => undefined)).toThrow('LimitedSize is not a provider');
  });
});

describe('ParameterBinder', () => {
  it('binds an instance of the class, with its defaults, and inherited parameters', () => {
    expect(bind('')).toEqual({ Page: 1, Size: 10 });
    expect(bind('')).toBeInstanceOf(SampleParams);
    expect(bind('Page=2&Limit=3&Text=a')).toEqual({ Page: 2, Size: 10, Limit: 3, Text: 'a' });
  });

  it('never binds what is no parameter', () => {
    expect(bind('Hidden=1&__proto__=1&constructor=1&toString=1')).toEqual({ Page: 1, Size: 10 });
    expect(Object.getPrototypeOf(bind('__proto__=1'))).toBe(SampleParams.prototype);
  });

  it.each(['limit=3', 'LIMIT=3', 'lImIt=3', '%4Cimit=3'])('D1 matches the name of %s ignoring case', (query) => {
    expect(bind(query)).toMatchObject({ Limit: 3 });
  });

  it.each(['Limit =3', 'Limit[]=3', '\u0130limit=3', 'Limit\u0000=3', 'Limi=3'])('D1 does not match %j', (query) => {
    expect(bind(query)).toEqual({ Page: 1, Size: 10 });
  });

  it.each([
    'Limit=1&Limit=1',
    'Limit=1&limit=2',
    'Limit=&Limit=1',
    'LIMIT&limit',
    'Limit=x&Limit=1',
    'Limit=1&a=b&Limit=',
  ])('D1 a parameter given twice is bad: %s', (query) => {
    expect(faults(query)).toMatchObject({ Limit: expect.any(String) });
  });

  it('D1 tells of a duplicate', () => {
    expect(faults('Limit=1&limit=2')).toEqual({ Limit: 'is given more than once' });
    expect(faults('Sort=a&Sort=a&Sort=a')).toEqual({ Sort: 'is given more than once' });
  });

  it.each(['a=1&a=2', 'a', '=', '=1'])('D2 ignores what is unknown: %s', (query) => {
    expect(bind(query)).toEqual({ Page: 1, Size: 10 });
  });

  it.each([
    ['limt=1', 'limt', 'Limit'],
    ['Limits', 'Limits', 'Limit'],
    ['pagee=', 'pagee', 'Page'],
    ['%53izes=%zz', 'Sizes', 'Size'],
    ['LIMI=1', 'LIMI', 'Limit'],
    ['TEX=1', 'TEX', 'Text'],
    ['SOR=1', 'SOR', 'Sort'],
    ['SIZ=1', 'SIZ', 'Size'],
  ])('D2 strict refuses %s and suggests the nearest name', (query, parameter, suggestion) => {
    const message = `is not a parameter of this operation; did you mean ${suggestion}?`;
    expect(faults(query, true)).toEqual({ [parameter]: message });
  });

  it.each([
    ['colour=red', 'colour'],
    ['li=1', 'li'],
  ])('D2 strict refuses %s, and suggests nothing where no name is near', (query, parameter) => {
    expect(faults(query, true)).toEqual({ [parameter]: 'is not a parameter of this operation' });
  });

  it('D2 strict refuses a parameter without a name', () => {
    expect(faults('=1', true)).toEqual({ 'query string': 'must name each parameter' });
  });

  describe('D38 ignored parameters', () => {
    beforeEach(() => {
      header.mockClear();
    });
    const NAME = 'Shipping-Ignored-Parameters';

    it.each(['', 'Page=2', 'page=2&SIZE=3', 'Limit=', '=1', '%C3%A9=1'])('D38 sets no header for %j', (query) => {
      bind(query);
      expect(header).not.toHaveBeenCalled();
    });

    it('D38 names those of a valid request, once', () => {
      bind('limits=1&Limit=1&colour=&limits=2');
      expect(header.mock.calls).toEqual([[NAME, '"limits";did-you-mean="Limit", "colour"']]);
    });

    it.each(['Limit=x&colour=1', 'Page=x&colour=1', 'b=%zz&colour=1'])('D38 names those of the invalid %s', (query) => {
      faults(query);
      expect(header.mock.calls).toEqual([[NAME, '"colour"']]);
    });

    it('D38 strict names none: they are refused', () => {
      faults('colour=1', true);
      expect(header).not.toHaveBeenCalled();
    });

    it('D38 an operation without parameters names all', () => {
      bind('Limit=1', false, new ParameterBinder(NoParams, () => undefined));
      expect(header.mock.calls).toEqual([[NAME, '"Limit"']]);
    });

    it('D40 more than 100 parameters are not read, and none is named', () => {
      faults('a&'.repeat(101));
      expect(header).not.toHaveBeenCalled();
    });
  });

  it('D2 strict suggests nothing where nothing is known, and shows no endless names', () => {
    const none = new ParameterBinder(NoParams, () => undefined);
    expect(faults('a=1', true, none)).toEqual({ a: 'is not a parameter of this operation' });
    expect(bind('a=1', false, none)).toEqual({});
    expect(Object.keys(faults(`${'😀'.repeat(500)}=1`, true))).toEqual(['😀'.repeat(64)]);
  });

  it.each(['Limit=+3+', 'Limit=%093%20%09', 'Limit= 3\t'])('D3 trims spaces and tabs: %j', (query) => {
    expect(bind(query)).toMatchObject({ Limit: 3 });
  });

  it.each(['Limit', 'Limit=', 'Limit=+', 'Limit=%09+%09'])('D3 a blank value counts as absent: %j', (query) => {
    expect(bind(`${query}&Page=&Size=%20`)).toEqual({ Page: 1, Size: 10 });
  });

  it('D3 trims nothing else', () => {
    expect(bind('Sort=%C2%A0a%E2%80%83')).toMatchObject({ Sort: '\u00a0a\u2003' });
    expect(bind('Sort=+a++b+')).toMatchObject({ Sort: 'a  b' });
  });

  it('D8 keeps a blank value where it means something', () => {
    expect(bind('Sort=+')).toMatchObject({ Sort: '' });
    expect(bind('')).not.toHaveProperty('Sort', '');
  });

  it.each([...['%00', '%0A', '%0D%0A', '%1F', '%7F', '%C2%80', '%C2%9F'].map((c) => `a${c}b`), '%0D', '%0A'])(
    'D7 control characters in a known parameter are bad: %s',
    (text) => {
      expect(faults(`Sort=${text}`)).toEqual({ Sort: 'must not contain control characters' });
      expect(bind(`Unknown=${text}`)).toEqual({ Page: 1, Size: 10 });
    },
  );

  it.each(['%zz', '%C3', '%ED%A0%80'])('D7 the encoding %s is bad wherever it stands', (broken) => {
    expect(faults(`Sort=${broken}`)).toEqual({ Sort: 'must be percent-encoded UTF-8' });
    expect(faults(`Unknown=${broken}`)).toEqual({ Unknown: 'must be percent-encoded UTF-8' });
    expect(Object.values(faults(`${broken}=1`))).toEqual(['must be percent-encoded UTF-8']);
    expect(faults(`${broken}=1`, true)).toEqual({ 'query string': 'must be percent-encoded UTF-8' });
    expect(faults(`Page=${broken}`)).toBe('Bad page');
  });

  it('names everything that is wrong, once each, in the order it is met', () => {
    expect(faults('Limit=6&Text=a%00&Sort=%zz&b=%zz')).toEqual({
      Limit: 'is too large',
      Text: 'must not contain control characters',
      Sort: 'must be percent-encoded UTF-8',
      b: 'must be percent-encoded UTF-8',
    });
    expect(thrownBy(() => bind('Limit=x&Limit=%zz&Limit=a%00'))).toMatchObject({
      definition: { errors: [{ parameter: 'Limit', message: 'is given more than once' }] },
    });
    expect(faults('Text=a')).toEqual({ Text: 'needs Limit' });
  });

  it('names no more than twenty faults', () => {
    const query = Array.from({ length: 30 }, (_, index) => `u${index}=%zz`).join('&');
    expect(Object.keys(faults(query))).toHaveLength(20);
  });

  it.each([
    'Page=x',
    'Page=1&Page=1',
    'Page=&page=',
    'Page=%zz',
    'Page=%00',
    'Limit=x&Page=x',
    'Limit=x&Sort=%zz&Size=x&Page=x',
  ])('D4 a bad parameter with a plain message is all that is told: %s', (query) => {
    expect(faults(query)).toBe('Bad page');
  });

  it('D4 the plain message comes first also among many unknown parameters', () => {
    const query = Array.from({ length: 30 }, (_, index) => `u${index}=1`).join('&');
    expect(faults(`${query}&Size=x`, true)).toBe('Bad size');
  });

  it('D3 binds a path as it came', () => {
    expect(binder.bindPath({ sort: ' a ', unknown: 'b' })).toEqual({ Page: 1, Size: 10, Sort: ' a ' });
    expect(Object.keys(bindingOf(() => binder.bindPath({ limit: ' 3' })).faults ?? {})).toEqual(['Limit']);
  });

  // In quadratic time this would take hours.
  it('trims a million spaces inside a value in linear time', () => {
    const value = `a${' '.repeat(1e6)}b`;
    expect(bindingOf(() => bind(`Sort=${value.replaceAll(' ', '+')}`)).values).toMatchObject({
      Sort: value,
    });
  });

  it('throws nothing but its two exceptions, whatever the query string', () => {
    const name = fc.oneof(fc.constantFrom('Page', 'SIZE', 'limit', 'Sort', 'Text', '__proto__', 'Hidden'), fc.string());
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.nat().map(String),
      fc.constantFrom('%zz', '%00', ' ', '+'),
    );
    const structured = fc.array(fc.tuple(name, value)).map((all) => all.map((pair) => pair.join('=')).join('&'));
    fc.assert(
      fc.property(fc.oneof(structured, fc.string({ unit: 'binary' })), fc.boolean(), (query, strict) => {
        expect(Object.keys(bindingOf(() => bind(query, strict)))).toHaveLength(1);
      }),
    );
  });
});

import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsOptional,
  Max,
  MaxLength,
  Min,
  Validate,
  ValidateBy,
  ValidateIf,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import * as fc from 'fast-check';
import { bindingOf } from '../../../test/support/binding';
import { UsageError } from '../../common/errors';
import type { Resolver } from './compiled-rules';
import { ParameterBinder } from './parameter-binder';
import { Parameter, type ParameterOptions } from './parameter.decorator';
import { RawQuery } from './query-string';
import { anyText } from '../../../test/support/any-text';

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

  @IsOptional()
  @Whole()
  @IsInt({ message: 'is no integer' })
  @Max(5, { message: 'is too large' })
  Limit?: number;

  @Parameter({ keepBlank: true })
  Sort?: string;

  @IsOptional()
  @Together('Limit')
  Text?: string;

  Hidden?: string;
}

class NoParams {}

const made: Resolver = (type) => new type();
const binder = new ParameterBinder(SampleParams, made);

async function bind(query: string, strict = false, by: ParameterBinder<object> = binder): Promise<object> {
  const raw = new RawQuery(query.replace(/\P{ASCII}/gu, encodeURIComponent));
  return by.bindQuery({ raw, strict, reply, operationWith: () => undefined });
}

/** The headers that binding sets. */
const header = jest.fn();
const reply = { header };

/** What is wrong with each parameter; a plain message where that is the answer. */
async function faults(
  query: string,
  strict = false,
  by?: ParameterBinder<object>,
): Promise<string | Readonly<Record<string, string>>> {
  const { plain, faults: all, values } = await bindingOf(() => bind(query, strict, by));
  expect(values).toBeUndefined();
  return plain ?? all ?? {};
}

it('options that depend on a provider are refused where there is none', () => {
  class Limits implements ParameterOptions {
    constructor(readonly plainMessage: string) {}
  }
  class LimitedParams {
    @Parameter(Limits)
    @IsInt()
    Size = 10;
  }
  const resolve: Resolver = (type) => {
    if (type === (Limits as unknown)) throw new UsageError(`${type.name} is not a provider`);
    return new type();
  };
  expect(() => new ParameterBinder(LimitedParams, resolve)).toThrow('LimitedParams.Size: Limits is not a provider');
});

describe('ParameterBinder', () => {
  it('binds an instance of the class, with its defaults, and inherited parameters', async () => {
    expect(await bind('')).toEqual({ Page: 1, Size: 10 });
    expect(await bind('')).toBeInstanceOf(SampleParams);
    expect(await bind('Page=2&Limit=3&Text=a')).toEqual({ Page: 2, Size: 10, Limit: 3, Text: 'a' });
  });

  it('never binds what is no parameter', async () => {
    expect(await bind('Hidden=1&__proto__=1&constructor=1&toString=1')).toEqual({ Page: 1, Size: 10 });
    expect(Object.getPrototypeOf(await bind('__proto__=1'))).toBe(SampleParams.prototype);
  });

  it.each(['limit=3', 'LIMIT=3', 'lImIt=3', '%4Cimit=3'])('D1 matches the name of %s ignoring case', async (query) => {
    expect(await bind(query)).toMatchObject({ Limit: 3 });
  });

  it.each(['Limit =3', 'Limit[]=3', '\u0130limit=3', 'Limit\u0000=3', 'Limi=3', '\u017fize=3'])(
    'D1 does not match %j',
    async (query) => {
      expect(await bind(query)).toEqual({ Page: 1, Size: 10 });
    },
  );

  it('D1 tells of a duplicate', async () => {
    expect(await faults('Limit=1&limit=2')).toEqual({ Limit: 'is given more than once' });
    expect(await faults('Sort=a&Sort=a&Sort=a')).toEqual({ Sort: 'is given more than once' });
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
  ])('D2 strict refuses %s and suggests the nearest name', async (query, parameter, suggestion) => {
    const message = `is not a parameter of this operation; did you mean ${suggestion}?`;
    expect(await faults(query, true)).toEqual({ [parameter]: message });
  });

  it('D2 strict suggests nothing where nothing is known, and shows no endless names', async () => {
    const none = new ParameterBinder(NoParams, made);
    expect(await faults('a=1', true, none)).toEqual({ a: 'is not a parameter of this operation' });
    expect(await bind('a=1', false, none)).toEqual({});
    expect(Object.keys(await faults(`${'😀'.repeat(500)}=1`, true))).toEqual(['😀'.repeat(64)]);
  });

  it('D3 trims nothing else', async () => {
    expect(await bind('Sort=%C2%A0a%E2%80%83')).toMatchObject({ Sort: '\u00a0a\u2003' });
    expect(await bind('Sort=+a++b+')).toMatchObject({ Sort: 'a  b' });
  });

  it('D8 keeps a blank value where it means something', async () => {
    expect(await bind('Sort=+')).toMatchObject({ Sort: '' });
    expect(await bind('')).not.toHaveProperty('Sort', '');
  });

  it.each([...['%00', '%0A', '%0D%0A', '%1F', '%7F', '%C2%80', '%C2%9F'].map((c) => `a${c}b`), '%0D', '%0A'])(
    'D7 control characters in a known parameter are bad: %s',
    async (text) => {
      expect(await faults(`Sort=${text}`)).toEqual({ Sort: 'must not contain control characters' });
      expect(await bind(`Unknown=${text}`)).toEqual({ Page: 1, Size: 10 });
    },
  );

  it.each(['%zz', '%C3', '%ED%A0%80'])('D7 the encoding %s is bad wherever it stands', async (broken) => {
    expect(await faults(`Sort=${broken}`)).toEqual({ Sort: 'must be percent-encoded UTF-8' });
    expect(await faults(`Unknown=${broken}`)).toEqual({ Unknown: 'must be percent-encoded UTF-8' });
    expect(Object.values(await faults(`${broken}=1`))).toEqual(['must be percent-encoded UTF-8']);
    expect(await faults(`${broken}=1`, true)).toEqual({ 'query string': 'must be percent-encoded UTF-8' });
    expect(await faults(`Page=${broken}`)).toBe('Bad page');
  });

  it('names everything that is wrong, once each, in the order it is met', async () => {
    expect(await faults('Limit=6&Text=a%00&Sort=%zz&b=%zz')).toEqual({
      Limit: 'is too large',
      Text: 'must not contain control characters',
      Sort: 'must be percent-encoded UTF-8',
      b: 'must be percent-encoded UTF-8',
    });
    await expect(bind('Limit=x&Limit=%zz&Limit=a%00')).rejects.toMatchObject({
      definition: { errors: [{ parameter: 'Limit', message: 'is given more than once' }] },
    });
    expect(await faults('Text=a')).toEqual({ Text: 'needs Limit' });
  });

  it('names no more than twenty faults', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `u${index}=%zz`).join('&');
    expect(Object.keys(await faults(query))).toHaveLength(20);
  });

  it('D4 the plain message comes first also among many unknown parameters', async () => {
    const query = Array.from({ length: 30 }, (_, index) => `u${index}=1`).join('&');
    expect(await faults(`${query}&Size=x`, true)).toBe('Bad size');
  });

  it('D3 binds a path as it came', async () => {
    expect(await binder.bindPath({ sort: ' a ', unknown: 'b' })).toEqual({ Page: 1, Size: 10, Sort: ' a ' });
    expect(Object.keys((await bindingOf(() => binder.bindPath({ limit: ' 3' }))).faults ?? {})).toEqual(['Limit']);
  });

  // In quadratic time this would take hours.
  it('trims a million spaces inside a value in linear time', async () => {
    const value = `a${' '.repeat(1e6)}b`;
    expect((await bindingOf(() => bind(`Sort=${value.replaceAll(' ', '+')}`))).values).toMatchObject({
      Sort: value,
    });
  });

  it('throws nothing but its two exceptions, whatever the query string', async () => {
    const name = fc.oneof(fc.constantFrom('Page', 'SIZE', 'limit', 'Sort', 'Text', '__proto__', 'Hidden'), fc.string());
    const value = fc.oneof(anyText(), fc.nat().map(String), fc.constantFrom('%zz', '%00', ' ', '+'));
    const structured = fc.array(fc.tuple(name, value)).map((all) => all.map((pair) => pair.join('=')).join('&'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(structured, anyText()), fc.boolean(), async (query, strict) => {
        expect(Object.keys(await bindingOf(() => bind(query, strict)))).toHaveLength(1);
      }),
    );
  });
});

@ValidatorConstraint({ name: 'silent' })
class SilentRule implements ValidatorConstraintInterface {
  validate(): boolean {
    return false;
  }
}

class Rules {
  @Type(() => Number)
  @IsOptional()
  @Min(2)
  @Max(9)
  Number?: number;

  @IsOptional()
  @IsIn(['a'], { each: true, message: '$property has $value, not $constraint1' })
  List?: string[];

  @IsOptional()
  @MaxLength(3, { groups: ['short'] })
  Grouped?: string;

  @ValidateIf(({ Grouped }: Rules) => Grouped !== undefined)
  @IsIn(['b'])
  Conditional?: string;

  @IsOptional()
  @ValidateBy({ name: 'later', validator: { validate: (value) => Promise.resolve(value === 'c') } })
  Later?: string;

  @IsOptional()
  @Validate(SilentRule)
  Silent?: string;
}

describe('rules of class-validator and conversions of class-transformer', () => {
  const rules = new ParameterBinder(Rules, made);

  it('bind what is valid', async () => {
    const values = { Number: 7, List: ['a', 'a'], Grouped: 'abc', Conditional: 'b', Later: 'c' };
    expect(await bind('Number=7&List=a&list=a&Grouped=abc&Conditional=b&Later=c', false, rules)).toEqual(values);
    expect(await bind('List=a', false, rules)).toEqual({ List: 'a' });
    expect(await bind('', false, rules)).toEqual({});
  });

  it.each([
    ['Number=1', { Number: 'must not be less than 2' }],
    ['Number=x', { Number: expect.stringMatching(/^must not be/) }],
    ['List=a&List=x', { List: expect.stringMatching(/^has/) }],
    ['Grouped=abcd&Conditional=b', { Grouped: 'must be shorter than or equal to 3 characters' }],
    ['Grouped=abc', { Conditional: 'must be one of the following values: b' }],
    ['Later=x', { Later: 'is not valid' }],
    ['Silent=x', { Silent: 'is not valid' }],
    ['Number=1&Number=2', { Number: 'is given more than once' }],
  ])('refuse %s', async (query, expected) => {
    expect(await faults(query, false, rules)).toEqual(expected);
  });
});

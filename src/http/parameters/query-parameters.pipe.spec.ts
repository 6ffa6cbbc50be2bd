import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { getMetadataStorage, IsOptional, IsString, MaxLength, MinLength, ValidateNested } from 'class-validator';
import * as fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { readSettings } from '../../config/settings';
import { InvalidParametersException } from '../problems/problem-definitions';
import { Parameter } from './parameter-class';
import { ParametersPipe, PathParameters, QueryParameters } from './query-parameters.pipe';
import { decodePair, pairsOf } from './query-string';

class Params {
  @IsOptional()
  @IsString()
  @MaxLength(8)
  Name?: string;

  @Parameter({ keepBlank: true })
  Order?: string;
}

const pipe = new ParametersPipe(readSettings({}));

/** Binds a query string. Returns the bound object and the header of ignored names, or the invalid parameters. */
async function bind(
  query: string,
  strict = false,
  { path, metatype = Params }: { path?: Record<string, string>; metatype?: Type<object> } = {},
): Promise<{ bound?: object; ignored?: string; faults?: string[] }> {
  let ignored: string | undefined;
  const reply = { header: (_: string, value: string) => (ignored = value) } as unknown as FastifyReply;
  try {
    const bound = await pipe.transform({ type: metatype, query, path, strict, reply });
    expect(bound).toBeInstanceOf(metatype);
    return { bound: { ...bound }, ignored };
  } catch (error) {
    if (!(error instanceof InvalidParametersException)) throw error;
    return { faults: error.definition.errors?.map(({ parameter }) => parameter) };
  }
}

const encoded = (pairs: readonly (readonly [string, string])[]): string =>
  pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&');
const anyCase = (name: string): fc.Arbitrary<string> => fc.mixedCase(fc.constant(name));
/** Some of the characters that are trimmed from both ends of a value (D3). */
const BLANKS = ' \t\n\u0085\u00a0\u2003\u200b\u200f\u202e\u2028\u2069\u3000\ufeff';
const blanks = fc.string({ unit: fc.constantFrom(...BLANKS), maxLength: 4 });
const TWICE = { faults: ['Name'] };
const brackets = fc.constantFrom('', '[]', '[0]', '[17]');
const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const unknown = fc.stringMatching(/^[a-z]{1,20}$/).filter((name) => name !== 'name' && name !== 'order');

function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

describe('decodePair', () => {
  it('D7 reads what a form sends', () => {
    const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ unit: 'grapheme' })));
    fc.assert(
      fc.property(pairs, (given) => {
        const read = pairsOf(new URLSearchParams(given).toString()).map(decodePair);
        expect(read.map(({ name, value }) => [name, value])).toEqual(given);
      }),
    );
  });

  it('D7 reads what JavaScript decodes, and nothing else', () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('%', '&', '=', '+', 'a', 'F', '8', '0') }));
    fc.assert(
      fc.property(texts, (query) => {
        for (const pair of pairsOf(query)) {
          const { name, value } = decodePair(pair);
          expect([name, value]).toEqual([decoded(pair.split('=', 1)[0]), decoded(pair.split('=').slice(1).join('='))]);
        }
      }),
    );
  });

  it.each([
    ['%41', 'A'],
    ['%c3%a9', 'é'],
    ['%f0%9f%98%80+a%C3%A9', '😀 aé'],
    ['%e9', undefined],
    ['%c3a', undefined],
  ])('D7 reads a megabyte of %s', (unit, text) => {
    const times = Math.ceil(1e6 / unit.length);
    expect(decodePair(`a=${unit.repeat(times)}`).value === text?.repeat(times)).toBe(true);
  });
});

describe('ParametersPipe', () => {
  it('D1 D2 D3 binds names in any case, with or without brackets, and trims values', () =>
    fc.assert(
      fc.asyncProperty(anyCase('Name'), brackets, blanks, word, blanks, async (name, list, before, value, after) => {
        expect(await bind(encoded([[name + list, before + value + after]]))).toEqual({ bound: { Name: value } });
      }),
    ));

  it('D3 trims what Unicode and String.trim call white space, and keeps what is inside', () =>
    fc.assert(
      fc.asyncProperty(blanks, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), async (blank, text) => {
        const { bound, faults } = await bind(encoded([['Order', blank + text + blank + text + blank]]));
        const kept = (bound as { Order?: string } | undefined)?.Order;
        expect(kept ?? '').not.toMatch(/^\p{White_Space}|\p{White_Space}$/u);
        if (faults === undefined && text.trim() === text) expect(kept).toBe((text + blank + text).trim());
      }),
    ));

  it('D2 binds a name with brackets to the parameter that a class declares so', async () => {
    class Bracketed {
      @IsString()
      'x[]': string;
    }
    expect(await bind('X[]=a', false, { metatype: Bracketed })).toEqual({ bound: { 'x[]': 'a' } });
  });

  it('D1 D2 refuses a name given twice, whatever its case, brackets and values', () =>
    fc.assert(
      fc.asyncProperty(anyCase('Name'), anyCase('Name'), brackets, blanks, word, async (one, name, list, ...values) => {
        for (const first of values) {
          for (const second of [...values, 'x'.repeat(9)]) {
            expect(await bind(`${encoded([[one, first]])}&${encoded([[name + list, second]])}`)).toEqual(TWICE);
          }
        }
      }),
    ));

  it('D3 D8 a blank value is absent, unless it is kept', () =>
    fc.assert(
      fc.asyncProperty(blanks, async (blank) => {
        const query = new URLSearchParams({ Name: blank, Order: blank }).toString();
        expect(await bind(query)).toEqual({ bound: { Order: '' } });
      }),
    ));

  it('D2 ignores unknown names, and refuses them for strict clients', () =>
    fc.assert(
      fc.asyncProperty(fc.uniqueArray(unknown, { minLength: 1, maxLength: 10 }), async (names) => {
        const query = encoded(names.map((name) => [name, '1']));
        expect(await bind(query)).toEqual({ bound: {}, ignored: names.map((name) => `"${name}"`).join(', ') });
        expect(await bind(query, true)).toEqual({ faults: names });
      }),
    ));

  it('D2 binds of a path what the class declares, and no query parameter with it', async () => {
    const path = { name: 'a', other: 'b' };
    expect(await bind('Name=x', false, { path })).toEqual({ bound: { Name: 'a' }, ignored: '"Name"' });
  });

  it('binds a class without rules', async () => {
    expect(await bind('a=1', false, { metatype: class {} })).toEqual({ bound: {}, ignored: '"a"' });
  });

  class Part {
    @MinLength(3)
    text = 'a';
  }
  class Invalid {
    @MinLength(3)
    @MaxLength(1)
    Both?: string;

    @Transform(() => new Part())
    @ValidateNested()
    Nested?: Part;
  }

  it.each([
    ['names one of the rules that a value breaks', 'Both', /^must be \S+ than or equal to \d characters$/],
    ['has a message for a value whose parts break rules', 'Nested', /^is not valid$/],
  ])('%s', async (_, parameter, message) => {
    const source = { type: Invalid, query: `${parameter}=ab`, strict: false, reply: {} as FastifyReply };
    await expect(pipe.transform(source)).rejects.toMatchObject({
      definition: { errors: expect.arrayContaining([{ parameter, message: expect.stringMatching(message) }]) },
    });
  });

  it('reads the rules of a class once', async () => {
    class Once {
      @IsString()
      Name?: string;
    }
    const read = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    await bind('name=a', false, { metatype: Once });
    const first = read.mock.calls.length;
    await bind('name=a', false, { metatype: Once });
    expect(read.mock.calls.length).toBe(first);
  });

  it('D7 binds or refuses any query string', () =>
    fc.assert(
      fc.asyncProperty(fc.string(), fc.boolean(), async (query, strict) => {
        expect(Object.keys(await bind(`Name=${query}`, strict))).not.toEqual([]);
      }),
    ));

  it('D7 decodes 100 parameters at most', async () => {
    const decode = jest.spyOn(globalThis, 'decodeURIComponent');
    expect(await bind('%20&'.repeat(1000))).toEqual({ faults: ['query string'] });
    expect(decode).toHaveBeenCalledTimes(100);
  });

  it.each(['+', '%E2%80%8B'])('D3 D7 trims long runs of %s in linear time', async (blank) => {
    expect(await bind(`Name=a${blank.repeat(1_000_000)}b`)).toEqual({ faults: ['Name'] });
    expect(await bind(`Name=${blank.repeat(1_000_000)}b`)).toEqual({ bound: { Name: 'b' } });
  });

  it.each(['[', '[1', ']', '1]'])('D2 compares names of many %s in linear time', async (part) => {
    expect(await bind(`${part.repeat(500_000)}=1`)).toEqual({ bound: {} });
  });
});

describe('D83 an argument whose type declares no parameters is refused at start', () => {
  class TeamController {}

  it.each([
    ['a class that swc imports as a type, or an interface', [Object]],
    ['a class that the compiler imports as a type', [Function]],
    ['a circular import', [undefined]],
    ['a text', [String]],
    ['a class whose properties have no rules', [class Unruled {}]],
    ['no metadata', undefined],
  ])('%s', (_, types) => {
    if (types !== undefined) Reflect.defineMetadata('design:paramtypes', types, TeamController.prototype, 'list');
    else Reflect.deleteMetadata('design:paramtypes', TeamController.prototype, 'list');
    for (const [name, decorate] of Object.entries({ QueryParameters, PathParameters })) {
      const start = `@${name}() of TeamController.list: the type of its argument has to be a class`;
      expect(() => {
        decorate()(TeamController.prototype, 'list', 0);
      }).toThrow(start);
    }
  });
});

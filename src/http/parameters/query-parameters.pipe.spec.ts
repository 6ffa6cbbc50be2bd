import type { Type } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsOptional, IsString, MaxLength, MinLength, ValidateNested } from 'class-validator';
import * as fc from 'fast-check';
import type { FastifyReply } from 'fastify';
import { readSettings } from '../../config/settings';
import { decodePair, pairsOf } from '../request-target';
import { ParametersPipe, PathParameters, QueryParameters } from './query-parameters.pipe';

class Params {
  @IsOptional()
  @IsString()
  @MaxLength(8)
  Name?: string;
}

const pipe = new ParametersPipe(readSettings({}));

/** Binds a query string. Returns the bound object and the header of ignored names. */
async function bind(
  query: string,
  type: Type<object>,
  path?: Record<string, string>,
): Promise<{ bound: object; ignored?: string }> {
  let ignored: string | undefined;
  const header = (_: string, value: string): string => (ignored = value);
  const request = { record: {}, originalUrl: `/?${query}`, params: path };
  const reply = { header, request } as unknown as FastifyReply;
  const bound = await pipe.transform({ type, isInPath: path !== undefined, reply });
  expect(bound).toBeInstanceOf(type);
  return { bound: { ...bound }, ignored };
}

function decoded(text = ''): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

it('D7 decodePair reads what JavaScript decodes', () => {
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

describe('ParametersPipe', () => {
  it('D2 binds a name with brackets to the parameter that a class declares so', async () => {
    class Bracketed {
      @IsString()
      'x[]': string;
    }
    expect(await bind('X[]=a', Bracketed)).toEqual({ bound: { 'x[]': 'a' } });
  });

  it('D2 binds of a path what the class declares, and no query parameter with it', async () => {
    const path = { name: 'a', other: 'b' };
    expect(await bind('Name=x', Params, path)).toEqual({ bound: { Name: 'a' }, ignored: '"Name"' });
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
    const reply = { request: { record: {}, originalUrl: `/?${parameter}=ab` } } as FastifyReply;
    const source = { type: Invalid, isInPath: false, reply };
    await expect(pipe.transform(source)).rejects.toMatchObject({
      definition: { errors: expect.arrayContaining([{ parameter, message: expect.stringMatching(message) }]) },
    });
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

import { Transform } from 'class-transformer';
import { IsOptional, IsString, MaxLength, MinLength, ValidateNested } from 'class-validator';
import { bind } from '../../../test/support/bound-parameters';
import { Parameter } from './parameter-class';
import { PathParameters, QueryParameters } from './query-parameters.pipe';

class Params {
  @IsOptional()
  @IsString()
  @MaxLength(8)
  Name?: string;
}

describe('ParametersPipe', () => {
  it('D2 binds a name with brackets to the parameter that a class declares so', async () => {
    class Bracketed {
      @IsString()
      'x[]': string;
    }
    expect(await bind(Bracketed, 'X[]=a')).toEqual({ bound: { 'x[]': 'a' } });
  });

  it('D2 binds of a path what the class declares, and no query parameter with it', async () => {
    const path = { name: 'a', other: 'b' };
    expect(await bind(Params, 'Name=x', { path })).toEqual({ bound: { Name: 'a' }, ignored: '"Name"' });
  });

  it('D3 counts a blank text as absent, also where only some values have an effect', async () => {
    class Sorted {
      @Parameter({ effective: ['desc', 'asc'] })
      Direction = 'asc';
    }
    expect(await bind(Sorted, 'Direction=%20')).toEqual({ bound: { Direction: 'asc' } });
  });

  it('D7 names an invalid text of which a team would make something else', async () => {
    class Parsed {
      @IsOptional()
      @Transform(({ value }) => JSON.parse(String(value)) as unknown)
      Json?: unknown;
    }
    const errors = [{ parameter: 'Json', message: 'must not contain control characters' }];
    expect(await bind(Parsed, 'Json=%01')).toMatchObject({ errors });
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
    const { errors } = await bind(Invalid, `${parameter}=ab`);
    expect(errors).toContainEqual({ parameter, message: expect.stringMatching(message) });
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

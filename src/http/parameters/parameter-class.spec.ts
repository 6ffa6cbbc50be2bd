import { IntersectionType } from '@nestjs/swagger';
import { IsDefined, IsIn, IsInt, IsOptional, IsString, validate, ValidateIf } from 'class-validator';
import * as fc from 'fast-check';
import { ConvertedByOptions, Parameter, ParameterClass } from './parameter-class';

/**
 * A class with a property for each way in which class-validator applies a rule: optional, required and on a condition.
 */
@ConvertedByOptions()
class Rules {
  @IsOptional()
  @IsString()
  optional?: unknown;

  @IsDefined()
  @IsInt()
  required?: unknown;

  @ValidateIf((rules: Rules) => rules.optional === 'a')
  @IsIn(['a', 1])
  conditional?: unknown;
}

class WithLists {
  @Parameter({ convert: (text) => text.split(',') })
  names?: string[];

  @Parameter({ convert: Number.parseInt })
  numbers?: number[];
}

class OneOfThese {
  @Parameter({ atLeastOneOf: ['a', 'b'] })
  a?: string;
}

class OneOfThose {
  @Parameter({ atLeastOneOf: ['a', 'c'] })
  a?: string;
}

const anyValue = fc.constantFrom<unknown>(undefined, null, '', 'a', 'b', 0, 1, 1.5, true, [], {});

describe('ParameterClass', () => {
  it('holds exactly where class-validator finds no error', () =>
    fc.assert(
      fc.asyncProperty(anyValue, anyValue, anyValue, async (optional, required, conditional) => {
        const rules = Object.assign(new Rules(), { optional, required, conditional });
        expect(new ParameterClass(Rules).isCertainlyValid(rules)).toBe((await validate(rules)).length === 0);
      }),
    ));

  it('leaves the rules of a class that does not say that they are plain to class-validator', () => {
    class OfTeam extends Rules {}
    expect(new ParameterClass(OfTeam).isCertainlyValid(Object.assign(new OfTeam(), { required: 1 }))).toBe(false);
  });

  it('D83 converts each text of a list by itself, which may be several values', () => {
    const texts = { names: ['a,b', 'c'], numbers: ['1', '2', '3'] };
    expect({ ...new ParameterClass(WithLists).instanceOf(texts) }).toEqual({
      names: ['a', 'b', 'c'],
      numbers: [1, 2, 3],
    });
  });

  it('D83 keeps the alternatives of both classes that are intersected', () => {
    const known = new ParameterClass(IntersectionType(OneOfThese, OneOfThose));
    expect([...known.parameters.values()].flatMap(({ alternatives }) => alternatives)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
  });
});

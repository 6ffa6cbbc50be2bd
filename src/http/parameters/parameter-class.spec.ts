import { IntersectionType } from '@nestjs/swagger';
import {
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  MaxLength,
  Validate,
  validate,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  ValidatorConstraint,
} from 'class-validator';
import * as fc from 'fast-check';
import { Parameter, ParameterClass } from './parameter-class';

class Part {
  @MaxLength(1)
  text = 'too long';
}

/**
 * A class with a property for each way in which class-validator applies a rule: optional, required and on a condition.
 */
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

class WithPart {
  @ValidateNested()
  part = new Part();
}

class WithElements {
  @MaxLength(1, { each: true })
  texts = ['too long'];
}

class WithPromise {
  @ValidateBy({ name: 'late', validator: { validate: () => Promise.resolve(false) } })
  text = 'a';
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

  it.each([WithPart, WithElements, WithPromise])('leaves the rules of %p to class-validator', async (type) => {
    const check = new ParameterClass(type);
    expect([check.isCertainlyValid(new type()), check.isCertainlyValid(new type())]).toEqual([false, false]);
    expect(await validate(new type())).toHaveLength(1);
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
    expect(known.withAlternatives.flatMap(({ alternatives }) => alternatives)).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
  });

  it('D83 asks the container of a team for a rule when it is first applied', () => {
    const made = jest.fn();
    @ValidatorConstraint()
    class Known {
      constructor() {
        made();
      }
      validate(value: unknown): boolean {
        return value === 'a';
      }
    }
    class WithKnown {
      @Validate(Known)
      text = 'a';
    }
    const check = new ParameterClass(WithKnown);
    expect(made).not.toHaveBeenCalled();
    expect([check.isCertainlyValid(new WithKnown()), check.isCertainlyValid({ text: 'b' })]).toEqual([true, false]);
  });

  it('asks a rule that returns a promise once, and from then on class-validator alone', () => {
    const rule = jest.fn(() => Promise.resolve(true));
    class Late {
      @ValidateBy({ name: 'late', validator: { validate: rule } })
      text = 'a';
    }
    const check = new ParameterClass(Late);
    expect([check.isCertainlyValid(new Late()), check.isCertainlyValid(new Late())]).toEqual([false, false]);
    expect(rule).toHaveBeenCalledTimes(1);
  });
});

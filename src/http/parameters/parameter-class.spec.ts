import { IntersectionType } from '@nestjs/swagger';
import { IsInt, IsOptional, MaxLength, ValidateNested } from 'class-validator';
import { Parameter, ParameterClass } from './parameter-class';

class WithOwnRules {
  @IsOptional()
  @Parameter({ rule: () => 'is not valid' })
  text?: string;
}

class WithRule {
  @IsOptional()
  @IsInt()
  number?: unknown;
}

class WithPart {
  @ValidateNested()
  part = {};
}

class WithElements {
  @MaxLength(1, { each: true })
  texts: string[] = [];
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

describe('ParameterClass', () => {
  it.each([
    [WithOwnRules, false],
    [WithRule, true],
    [WithPart, true],
    [WithElements, true],
  ])('%p needs class-validator where rules of it check something: %p', (type, needsValidator) => {
    expect(new ParameterClass(type).needsValidator).toBe(needsValidator);
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
    expect(known.parameters.get('a')?.alternatives).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ]);
  });
});

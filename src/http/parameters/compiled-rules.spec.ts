import { Transform } from 'class-transformer';
import {
  Allow,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  Min,
  Validate,
  ValidateIf,
  ValidateNested,
  validateSync,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { compileProperty } from './compiled-rules';

@ValidatorConstraint({ name: 'even' })
class EvenRule implements ValidatorConstraintInterface {
  constructor(private readonly word = 'not') {}

  validate(value: unknown): boolean {
    return typeof value === 'number' && value % 2 === 0;
  }

  defaultMessage(): string {
    return `is ${this.word} even`;
  }
}

@ValidatorConstraint({ name: 'later', async: true })
class LaterRule implements ValidatorConstraintInterface {
  validate(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

@ValidatorConstraint({ name: 'silent' })
class SilentRule implements ValidatorConstraintInterface {
  validate(): boolean {
    return false;
  }
}

class Base {
  @IsInt({ message: 'is no integer' })
  inherited: unknown;
}

class Sample extends Base {
  @Transform(({ value, key }) => `${key}:${String(value)}`)
  @IsOptional()
  @IsString({ message: ({ value, property, targetName }) => `${targetName}.${property} is ${String(value)}` })
  text: unknown;

  @Validate(EvenRule)
  even: unknown;

  @Validate(SilentRule)
  silent: unknown;

  @Min(1)
  @Max(9)
  figure: unknown;

  free: unknown;
}

const noResolver = (): undefined => undefined;
const compile = (property: string, type: new () => object = Sample): ReturnType<typeof compileProperty> =>
  compileProperty(type, property, noResolver);
const messages = (property: string, value: unknown, type?: new () => object): (string | undefined)[] =>
  compile(property, type).rules.map((rule) => rule.check(value, {}));

describe('compileProperty', () => {
  it('runs rules with their messages, fixed or made', () => {
    expect(messages('inherited', 1)).toEqual([undefined]);
    expect(messages('inherited', 'x')).toEqual(['is no integer']);
    expect(messages('text', 5)).toEqual(['Sample.text is 5']);
    expect(messages('even', 2)).toEqual([undefined]);
    expect(messages('even', 3)).toEqual(['is not even']);
    expect(messages('silent', 0)).toEqual(['is not valid']);
  });

  it('runs every rule of a property', () => {
    expect(messages('figure', 5)).toEqual([undefined, undefined]);
    expect(messages('figure', 10).filter((message) => message !== undefined)).toHaveLength(1);
    expect(messages('figure', 'x').filter((message) => message !== undefined)).toHaveLength(2);
  });

  it('gives the default messages of class-validator, without the name that they follow', () => {
    const sample = Object.assign(new Sample(), { inherited: 1, even: 2, silent: 0, figure: 10 });
    const [error] = validateSync(sample).filter(({ property }) => property === 'figure');
    expect(messages('figure', 10).filter((message) => message !== undefined)).toEqual(
      Object.values(error?.constraints ?? {}).map((message) => message.replace(/^figure /, '')),
    );
  });

  it('takes constraints with dependencies from the resolver', () => {
    const { rules } = compileProperty(Sample, 'even', (type) =>
      type === EvenRule ? new EvenRule('hardly') : undefined,
    );
    expect(rules[0]?.check(3, {})).toBe('is hardly even');
  });

  it('knows what is optional, converts, and leaves alone what has no decorators', () => {
    expect(compile('text')).toMatchObject({ optional: true });
    expect(compile('inherited')).toMatchObject({ optional: false });
    expect(compile('text').convert('a')).toBe('text:a');
    expect(compile('free')).toMatchObject({ optional: false, rules: [] });
    expect(compile('free').convert(' a ')).toBe(' a ');
  });

  it('applies conversions in the order of class-transformer', () => {
    class Twice {
      @Transform(({ value }) => `${String(value)}1`)
      @Transform(({ value }) => `${String(value)}2`)
      text: unknown;
    }
    expect(['12', '21']).toContain(String(compile('text', Twice).convert('')));
  });

  class Refused {
    @ValidateNested()
    nested: unknown;

    @IsInt({ groups: ['a'] })
    grouped: unknown;

    @IsInt({ each: true })
    each: unknown;

    @Validate(LaterRule)
    later: unknown;

    @Allow()
    allowed: unknown;
  }

  it.each(['nested', 'grouped', 'each', 'later', 'allowed'])('refuses a rule it does not run: %s', (property) => {
    expect(() => compile(property, Refused)).toThrow(
      `Refused.${property}: only plain, synchronous validation rules apply to parameters`,
    );
  });

  it('runs or refuses ValidateIf, and does not take it for IsOptional', () => {
    class Conditional {
      @ValidateIf(() => true)
      @IsIn(['a'])
      always: unknown;
    }
    let optional: boolean | undefined;
    try {
      optional = compile('always', Conditional).optional;
    } catch {
      optional = undefined;
    }
    expect(optional).not.toBe(true);
  });
});

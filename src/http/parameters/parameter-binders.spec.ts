import type { ModuleRef } from '@nestjs/core';
import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { bindingOf } from '../../../test/support/binding';
import { Parameter } from './parameter.decorator';
import { ParameterBinders } from './parameter-binders';
import { RawQuery, type RequestQuery } from '../query-string';

@ValidatorConstraint({ name: 'never' })
class NeverRule implements ValidatorConstraintInterface {
  constructor(private readonly word = 'own') {}

  validate(value: unknown): boolean {
    return value === undefined;
  }

  defaultMessage(): string {
    return `is of ${this.word} making`;
  }
}

class SampleParams {
  @Parameter()
  @Validate(NeverRule)
  A?: string;

  @Parameter()
  B?: string;
}

const query = (text: string): RequestQuery => ({
  raw: new RawQuery(text),
  strict: false,
  reply: { header: jest.fn() },
});

describe('ParameterBinders', () => {
  const get = jest.fn<unknown, [unknown, unknown]>();
  let binders: ParameterBinders;
  beforeEach(() => {
    get.mockReset();
    binders = new ParameterBinders({ get } as unknown as ModuleRef);
  });

  it('makes one binder for each class', () => {
    expect(binders.of(SampleParams)).toBe(binders.of(SampleParams));
    expect(binders.of(SampleParams).bindQuery(query('b=+1'))).toEqual({ B: '1' });
  });

  it('takes rules with dependencies from the application, once', () => {
    get.mockReturnValue(new NeverRule('another'));
    for (let round = 0; round < 2; round++) {
      expect(bindingOf(() => binders.of(SampleParams).bindQuery(query('A=1')))).toEqual({
        faults: { A: 'is of another making' },
      });
    }
    expect(get.mock.calls).toEqual([[NeverRule, { strict: false }]]);
  });

  it('makes rules itself that the application does not know', () => {
    get.mockImplementation(() => {
      throw new Error('unknown provider');
    });
    expect(bindingOf(() => binders.of(SampleParams).bindQuery(query('A=1')))).toEqual({
      faults: { A: 'is of own making' },
    });
  });
});

import type { ArgumentMetadata } from '@nestjs/common';
import type { ModuleRef } from '@nestjs/core';
import { Validate, ValidatorConstraint, type ValidatorConstraintInterface } from 'class-validator';
import { bindingOf } from '../../../test/support/binding';
import { Parameter } from './parameter.decorator';
import { ParametersPipe } from './parameters.pipe';
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
const argument = (type: ArgumentMetadata['type']): ArgumentMetadata => ({ type, metatype: SampleParams });

describe('ParametersPipe', () => {
  const get = jest.fn<unknown, [unknown, unknown]>();
  let pipe: ParametersPipe;
  beforeEach(() => {
    get.mockReset();
    pipe = new ParametersPipe({ get } as unknown as ModuleRef);
  });

  it('binds the query, or the path, to the class of the signature', () => {
    expect(pipe.transform(query('b=+1'), argument('query'))).toEqual({ B: '1' });
    expect(pipe.transform({ b: ' 1' }, argument('param'))).toEqual({ B: ' 1' });
  });

  it('takes rules with dependencies from the application, once', () => {
    get.mockReturnValue(new NeverRule('another'));
    for (let round = 0; round < 2; round++) {
      expect(bindingOf(() => pipe.transform(query('A=1'), argument('query')))).toEqual({
        faults: { A: 'is of another making' },
      });
    }
    expect(get.mock.calls).toEqual([[NeverRule, { strict: false }]]);
  });

  it('makes rules itself that the application does not know', () => {
    get.mockImplementation(() => {
      throw new Error('unknown provider');
    });
    expect(bindingOf(() => pipe.transform(query('A=1'), argument('query')))).toEqual({
      faults: { A: 'is of own making' },
    });
  });
});

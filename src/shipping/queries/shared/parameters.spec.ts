import type { Type as ClassOf } from '@nestjs/common';
import * as mappedTypes from '@nestjs/mapped-types';
import { IntersectionType, OmitType, PartialType, PickType } from '@nestjs/swagger';
import { plainToInstance, Type } from 'class-transformer';
import { IsInt, IsOptional, IsString } from 'class-validator';
import { bind } from '../../../../test/support/bound-parameters';
import { ParameterClass } from '../../../http/parameters/parameter-class';
import { GetShippingDetailsParams } from '../get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdParams } from '../get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListParams } from '../get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleParams } from '../get-shipping-single/get-shipping-single.query';
import * as parameters from './parameters';

/** All exported decorators, so that a new one is tested without a change here. */
const DECORATORS: Readonly<Record<string, () => PropertyDecorator>> = {
  ...(Object.fromEntries(Object.entries(parameters).filter(([, value]) => typeof value === 'function')) as object),
  RequiredText: () => parameters.RequiredText(3, 'Code.', 'DHL'),
  AtLeastOneOf: () => parameters.AtLeastOneOf('Value', 'Other'),
};

/**
 * The decorators that do not make a parameter optional; with `PartialType`, a blank value counts as absent for them,
 * too.
 */
const REQUIRED = ['RequiredText', 'PageNumber', 'PageSize'];

/** The class whose rules mapped types have to keep. `Other` has a rule, as properties of a class usually do. */
function baseOf(decorator: () => PropertyDecorator): ClassOf<{ Value?: unknown; Other?: unknown }> {
  class Base {
    @decorator()
    Value?: unknown;

    @IsOptional()
    @IsString()
    Other?: unknown;
  }
  return Base;
}

class Unrelated {
  @IsOptional()
  @IsString()
  Third?: unknown;
}

type Base = ReturnType<typeof baseOf>;
const KINDS: Readonly<Record<string, (base: Base) => ClassOf<object>>> = {
  'PickType of @nestjs/swagger': (base) => PickType(base, ['Value']),
  'OmitType of @nestjs/swagger': (base) => OmitType(base, ['Other']),
  'PartialType of @nestjs/swagger': (base) => PartialType(base),
  'PartialType that validates null': (base) => PartialType(base, { skipNullProperties: false }),
  'IntersectionType of @nestjs/swagger': (base) => IntersectionType(base, Unrelated),
  'IntersectionType, the other way round': (base) => IntersectionType(Unrelated, base),
  'PickType of @nestjs/mapped-types': (base) => mappedTypes.PickType(base, ['Value']),
  'OmitType of @nestjs/mapped-types': (base) => mappedTypes.OmitType(base, ['Other']),
  'PartialType of @nestjs/mapped-types': (base) => mappedTypes.PartialType(base),
  'IntersectionType of @nestjs/mapped-types': (base) => mappedTypes.IntersectionType(base, Unrelated),
  'several of them': (base) => PickType(PartialType(IntersectionType(base, Unrelated)), ['Value', 'Third']),
  'a subclass': (base) => class extends base {},
  'a subclass of one': (base) => class extends PickType(base, ['Value']) {},
};

/** Values each of which some decorator refuses or converts. */
const VALUES = [
  ...'.. %2e%2e a/b 0 007 101 x created Lost 2026-02-30 2026-07-01 %20 a%00b 2&value=2 %zz'.split(' '),
  ...['', 'x'.repeat(300)],
];

/** What the pipe makes of a query: the bound value, or its refusal. */
async function outcome(type: ClassOf<object>, query: string): Promise<object> {
  const { bound, ...refusal } = await bind(type, query);
  return bound === undefined ? refusal : { bound: (bound as { Value?: unknown }).Value };
}

describe.each(Object.entries(DECORATORS))('D83 %s', (name, decorator) => {
  const base = baseOf(decorator);

  let outcomes: object[];
  beforeAll(async () => {
    outcomes = await Promise.all(VALUES.map((value) => outcome(base, `Value=${value}`)));
  });

  it('refuses, converts or keeps some of the values', () => {
    expect(new Set(outcomes.map((one) => JSON.stringify(one))).size).toBeGreaterThan(1);
  });

  it.each(Object.entries(KINDS))('keeps its rules in %s', async (kind, map) => {
    const mapped = map(base);
    for (const [index, value] of VALUES.entries()) {
      const isLeftOut = ['', '%20'].includes(value) && REQUIRED.includes(name) && /Partial|several/.test(kind);
      const expected = isLeftOut ? { bound: undefined } : outcomes[index];
      expect([value, await outcome(mapped, `Value=${value}`)]).toEqual([value, expected]);
    }
  });
});

it('D83 an intersection keeps the rules that its parts have for one parameter', async () => {
  const short = baseOf(() => parameters.RequiredText(2, 'Code.', 'DH'));
  const both = IntersectionType(baseOf(parameters.Identifier), short);
  expect(await outcome(both, 'Value=abc')).toMatchObject({ errors: [{ message: 'must have at most 2 characters' }] });
  expect(await outcome(both, 'Value=-')).toMatchObject({ errors: [{ message: 'is not a valid shipping identifier' }] });
});

describe('D83 a class that leaves class-transformer out converts as it does', () => {
  it.each([GetShippingDetailsParams, GetShippingInfoByIdParams, GetShippingPagedListParams, GetShippingSingleParams])(
    '%p',
    (type) => {
      const known = new ParameterClass(type);
      for (const { name } of known.parameters.values()) {
        for (const text of ['true', '12', ...VALUES]) {
          expect(known.instanceOf({ [name]: text })).toEqual(plainToInstance<object, object>(type, { [name]: text }));
        }
      }
    },
  );

  it('and a subclass of it converts by the decorators of a team, too', async () => {
    class TeamParams extends GetShippingPagedListParams {
      @Type(() => Number)
      @IsInt()
      Value?: number;
    }
    expect(await outcome(TeamParams, 'Value=7')).toEqual({ bound: 7 });
  });
});

import { ApiProperty } from '@nestjs/swagger';
import * as fc from 'fast-check';
import { isListOf, isModel } from './body-check';

class Part {
  @ApiProperty({ type: String, nullable: true })
  name: string | null;
}

class Sample extends Part {
  @ApiProperty({ type: 'integer' })
  count: number;

  @ApiProperty({ type: Number })
  weight: number;

  @ApiProperty({ type: Boolean })
  active: boolean;

  @ApiProperty({ enum: ['a', 'b'] })
  kind: string;

  @ApiProperty({ type: () => Part, isArray: true })
  parts: Part[];
}

const SOUND = { name: null, count: 0, weight: 1.5, active: false, kind: 'a', parts: [{ name: 'x' }] };

describe('isModel', () => {
  const isSample = isModel(Sample);

  it.each([{}, { name: 'x' }, { count: Number.MAX_SAFE_INTEGER }, { weight: -1 }, { kind: 'b' }, { parts: [] }])(
    'accepts %j: the types of the fields, inherited ones too',
    (changes) => {
      expect(isSample({ ...SOUND, ...changes })).toBe(true);
    },
  );

  it.each([
    { name: 1 },
    { name: undefined },
    { count: -1 },
    { count: 1.5 },
    { count: '1' },
    { count: 2 ** 53 },
    { count: null },
    { weight: '1' },
    { active: 'true' },
    { kind: 'c' },
    { kind: 'toString' },
    { parts: null },
    { parts: {} },
    { parts: [null] },
    { parts: [{}] },
    { parts: [{ name: 'x', more: 1 }] },
    { more: 1 },
  ])('refuses %j', (changes) => {
    expect(isSample({ ...SOUND, ...changes })).toBe(false);
  });

  it.each(Object.keys(SOUND))('refuses an object without %s, or with an inherited one', (name) => {
    const others = Object.fromEntries(Object.entries(SOUND).filter(([other]) => other !== name));
    expect(isSample(others)).toBe(false);
    expect(isSample({ ...others, more: 1 })).toBe(false);
    expect(isSample(Object.assign(Object.create({ [name]: SOUND[name as 'name'] }) as object, others))).toBe(false);
  });

  it.each([null, undefined, 1, 'text', true, [], [SOUND]])('refuses %j', (value) => {
    expect(isSample(value)).toBe(false);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.anything(), fc.record({ parts: fc.anything() })), (value) => {
        expect(isSample(value)).toBe(false);
      }),
    );
  });
});

describe('isListOf', () => {
  it('accepts lists of the model only', () => {
    const isList = isListOf(Part);
    expect([[], [{ name: null }, { name: 'x' }]].map(isList)).toEqual([true, true]);
    expect([null, {}, [null], [{ name: null }, {}], [[]]].map(isList)).toEqual([false, false, false, false, false]);
  });
});

import { validateSync, type ValidationArguments } from 'class-validator';
import { readSettings } from '../../../config/settings';
import { IdentifierRule, MaxCodePoints, NotBefore, RequiresOneOf } from './constraints';

const argumentsOf = (value: unknown, constraints: unknown[] = []): ValidationArguments => ({
  value,
  constraints,
  object: {},
  property: 'Id',
  targetName: 'Sample',
});

describe('IdentifierRule', () => {
  const rule = new IdentifierRule(readSettings({}));
  const anything = new IdentifierRule(readSettings({ SHIPPING_ID_PATTERN: '.*' }));
  const accepts = (value: unknown, by = rule): boolean => by.validate(value, argumentsOf(value));

  it.each(['A', '0', 'SHP-000001', 'a.b_c-d', 'a..', `a${'b'.repeat(63)}`])('D9 takes %j', (id) => {
    expect(accepts(id)).toBe(true);
  });

  it.each(['', '.', '..', '.a', '-a', 'a/b', 'a%2Fb', 'a b', 'a\n', 'é', `a${'b'.repeat(64)}`, 7, null, undefined, {}])(
    'D9 refuses %j',
    (id) => {
      expect(accepts(id)).toBe(false);
    },
  );

  it('D9 refuses dot segments whatever the pattern says', () => {
    expect(['.', '..'].map((id) => accepts(id, anything))).toEqual([false, false]);
    expect(['...', '.a', 'a/b'].map((id) => accepts(id, anything))).toEqual([true, true, true]);
  });

  it('D41 refuses an identifier over 256 characters before any pattern', () => {
    const idPattern = { source: '.*', test: jest.fn(() => true) };
    const counting = new IdentifierRule({ ...readSettings({}), idPattern });
    expect(['é'.repeat(256), '😀'.repeat(256)].map((id) => accepts(id, counting))).toEqual([true, true]);
    expect(['a'.repeat(257), '😀'.repeat(257), 'A'.repeat(16_000)].map((id) => accepts(id, counting))).toEqual(
      Array(3).fill(false),
    );
    expect(idPattern.test).toHaveBeenCalledTimes(2);
  });

  it('D11 lets an identifier be absent where it may be', () => {
    expect(rule.validate(undefined, argumentsOf(undefined, [{ optional: true }]))).toBe(true);
    expect(rule.validate('', argumentsOf('', [{ optional: true }]))).toBe(false);
  });

  it('D10 tells a missing identifier from a bad one', () => {
    expect(rule.defaultMessage(argumentsOf(undefined))).toBe('is missing');
    expect(rule.defaultMessage(argumentsOf(''))).toBe('is missing');
    expect(rule.defaultMessage(argumentsOf('-'))).toBe('is not a valid shipping identifier');
  });
});

class Sample {
  @MaxCodePoints(3)
  Text: unknown = '';

  From: unknown;

  @NotBefore('From')
  To: unknown;

  @RequiresOneOf(['From', 'To', 'Text'])
  Any: unknown;
}

const faults = (values: object): Record<string, Record<string, string>> =>
  Object.fromEntries(
    validateSync(Object.assign(new Sample(), values)).map(({ property, constraints = {} }) => [property, constraints]),
  );

describe('MaxCodePoints', () => {
  it.each(['', 'abc', 'äöü', '😀😀😀', '中文字'])('D7 %j is short enough', (Text) => {
    expect(faults({ Text })).toEqual({});
  });

  it.each(['abcd', '😀😀😀😀', 'e\u0301e\u0301', 7, null, ['a']])('D7 %j is not', (Text) => {
    expect(faults({ Text })).toEqual({ Text: { maxCodePoints: 'must have at most 3 characters' } });
  });
});

describe('NotBefore', () => {
  const [early, late] = [new Date(1), new Date(2)];
  it.each([
    [early, late],
    [early, new Date(1)],
    [undefined, early],
    [late, undefined],
    ['bad', early],
    [late, 'bad'],
  ])('D6 from %s to %s is in order', (From, To) => {
    expect(faults({ From, To })).toEqual({});
  });

  it('D6 the other way round is not', () => {
    expect(faults({ From: late, To: early })).toEqual({ To: { notBefore: 'must not be before From' } });
  });
});

describe('RequiresOneOf', () => {
  it('D11 wants one of them', () => {
    expect(faults({ From: 'a', Text: 'a' })).toEqual({});
    expect(faults({ Text: undefined }).Any).toEqual({
      requiresOneOf: 'is missing; give at least one of From, To, Text',
    });
  });
});

import { isUpstreamObject, ValueReader } from './value-reader';

type Read<T> = (reader: ValueReader, value: unknown) => T;

/** Reads one value; says whether it was odd. */
function read<T>(value: unknown, how: Read<T>): [value: T, odd: boolean] {
  const reader = new ValueReader();
  return [how(reader, value), reader.foundInvalidValue];
}

const text: Read<unknown> = (reader, value) => reader.text(value);
const number: Read<unknown> = (reader, value) => reader.number(value);
const boolean: Read<unknown> = (reader, value) => reader.boolean(value);
const date: Read<unknown> = (reader, value) => reader.date(value);
const objects: Read<unknown> = (reader, value) => reader.objects(value);

describe('isWireObject', () => {
  it.each([
    [{}, true],
    [{ a: 1 }, true],
    [Object.create(null), true],
    [[], false],
    [null, false],
    [undefined, false],
    ['{}', false],
    [1, false],
  ])('%j: %s', (value, expected) => {
    expect(isUpstreamObject(value)).toBe(expected);
  });
});

describe('ValueReader', () => {
  it.each([
    ['text', text, null],
    ['number', number, null],
    ['boolean', boolean, null],
    ['date', date, null],
    ['objects', objects, []],
  ])('D13 an absent %s, or a null one, is unknown and not odd', (_, how, unknown) => {
    expect(read(undefined, how)).toEqual([unknown, false]);
    expect(read(null, how)).toEqual([unknown, false]);
  });

  it.each([
    ['a', 'a'],
    ['', ''],
    [' ä😀 ', ' ä😀 '],
    [0, '0'],
    [-7, '-7'],
    [2.5, '2.5'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    [Number.MIN_SAFE_INTEGER, '-9007199254740991'],
  ])('D19 the text %j is %j', (value, expected) => {
    expect(read(value, text)).toEqual([expected, false]);
  });

  it.each([[true], [{}], [['a']], [JSON.parse('9007199254740993')], [1e21], [-(2 ** 53) - 2], [JSON.parse('1e400')]])(
    'D19 no text: %j',
    (value) => {
      expect(read(value, text)).toEqual([null, true]);
    },
  );

  it.each([0, -1, 2.69, 1e-7, 5e-324, Number.MAX_SAFE_INTEGER])('D13 the number %d', (value) => {
    expect(read(value, number)).toEqual([value, false]);
  });

  it.each([['1'], [''], [true], [{}], [[1]], [JSON.parse('9007199254740993')], [JSON.parse('-1e400')]])(
    'D19 no number: %j',
    (value) => {
      expect(read(value, number)).toEqual([null, true]);
    },
  );

  it.each([true, false])('D13 the boolean %s', (value) => {
    expect(read(value, boolean)).toEqual([value, false]);
  });

  it.each([['true'], [''], [0], [1], [{}], [[]]])('D19 no boolean: %j', (value) => {
    expect(read(value, boolean)).toEqual([null, true]);
  });

  it.each([
    ['2026-03-14T09:26:53.589Z', '2026-03-14T09:26:53.589Z'],
    ['2026-03-14T09:26:53.5891234', '2026-03-14T09:26:53.589Z'],
    ['2026-03-14T09:26:53', '2026-03-14T09:26:53.000Z'],
    ['2026-03-14T09:26:53+02:00', '2026-03-14T07:26:53.000Z'],
    ['2026-03-14', '2026-03-14T00:00:00.000Z'],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'],
  ])('D13 the date %j is %s', (value, expected) => {
    expect(read(value, date)).toEqual([expected, false]);
  });

  it.each([['2026-02-30'], ['soon'], [''], ['14.03.2026'], [1773480413589], [true], [{}], [['2026-03-14']]])(
    'D19 no date: %j',
    (value) => {
      expect(read(value, date)).toEqual([null, true]);
    },
  );

  it('D19 leaves out of an array what is no object', () => {
    const [first, second] = [{ a: 1 }, {}];
    expect(read([first, second], objects)).toEqual([[first, second], false]);
    expect(read([], objects)).toEqual([[], false]);
    expect(read([first, null, 'x', [second], 3], objects)).toEqual([[first], true]);
    expect(read({ 0: first }, objects)).toEqual([[], true]);
    expect(read('[]', objects)).toEqual([[], true]);
  });

  it('D19 shows a text that has lost characters, and remembers it', () => {
    expect(read('M\ufffdnchen', text)).toEqual(['M\ufffdnchen', true]);
  });

  it('D19 remembers an oddity through sound values', () => {
    const reader = new ValueReader();
    expect([reader.text({}), reader.text('fine'), reader.text(undefined)]).toEqual([null, 'fine', null]);
    expect(reader.foundInvalidValue).toBe(true);
  });
});

import * as fc from 'fast-check';
import { describeError } from './errors';

describe('describeError', () => {
  it('tells the name and the frames of an error', () => {
    const lines = describeError(new TypeError('hidden')).split('\n');
    expect(lines[0]).toBe('TypeError');
    expect(lines[1]).toMatch(/^\s+at .+errors\.spec/);
  });

  it('tells the code of an error of Node', () => {
    const refused = Object.assign(new Error('hidden'), { code: 'ECONNREFUSED' });
    expect(describeError(refused).split('\n')[0]).toBe('Error ECONNREFUSED');
    expect(describeError(Object.assign(new Error(), { code: 'a hidden text' }))).not.toContain('hidden');
  });

  it.each([
    ['hidden', 'a thrown string'],
    [{ message: 'hidden' }, 'a thrown object'],
    [null, 'a thrown object'],
  ])('tells the type of %j that was thrown', (thrown, expected) => {
    expect(describeError(thrown)).toBe(expected);
  });

  it('makes do without a stack', () => {
    const error = new RangeError('hidden');
    delete error.stack;
    expect(describeError(error)).toBe('RangeError');
  });

  it('D15 tells nothing of any message', () => {
    const lines = fc.array(fc.tuple(fc.constantFrom('', ' ', '    at ', 'at '), fc.string()), { minLength: 1 });
    fc.assert(
      fc.property(lines, (parts) => {
        const message = parts.map(([start, rest]) => `${start}zqxjk${rest}`).join('\n');
        expect(describeError(new Error(message))).not.toContain('zqxjk');
      }),
    );
  });
});

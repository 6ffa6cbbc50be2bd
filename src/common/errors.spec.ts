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
    ['a string', 'hidden', 'a thrown string'],
    ['an object', { message: 'hidden' }, 'a thrown object'],
    ['null', null, 'a thrown object'],
    ['nothing', undefined, 'a thrown undefined'],
  ])('tells the type of %s that was thrown', (_, thrown, expected) => {
    expect(describeError(thrown)).toBe(expected);
  });

  it('makes do without a stack', () => {
    const error = new RangeError('hidden');
    delete error.stack;
    expect(describeError(error)).toBe('RangeError');
  });

  it.each(['hidden', 'two\nhidden lines', '\nhidden', '    at hidden (file.ts:1:1)', 'x\n    at hidden (file.ts:1:1)'])(
    'D15 tells nothing of the message %j',
    (message) => {
      expect(describeError(new Error(message))).not.toContain('hidden');
    },
  );

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

import { Logger } from '@nestjs/common';
import { logUnexpected, titleOf } from './errors';

class TariffError extends Error {}

it.each<[unknown, string]>([
  [new TypeError('hidden'), 'TypeError'],
  [new TariffError('hidden'), 'TariffError'],
  [Object.assign(new Error('hidden'), { code: 'ECONNREFUSED' }), 'Error ECONNREFUSED'],
  [Object.assign(new Error('hidden'), { code: 'a hidden text' }), 'Error'],
  ['hidden', 'a thrown string'],
  [{ message: 'hidden' }, 'a thrown object'],
  [null, 'a thrown object'],
])('D81 a cause names what was thrown without its message: %p', (thrown, expected) => {
  expect(titleOf(thrown)).toBe(expected);
});

it.each<[unknown, unknown[]]>([
  ['no tariff', ['Unexpected error: no tariff']],
  [{ password: 'hidden' }, ['Unexpected error: a thrown object']],
  [undefined, ['Unexpected error: a thrown undefined']],
])('D81 what is thrown and is no error is logged as text: %p', (thrown, expected) => {
  const error = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
  logUnexpected(new Logger('Test'), thrown, { requestId: 'r-1' });
  expect(error.mock.calls).toEqual([[...expected, { requestId: 'r-1' }]]);
});

import { Logger } from '@nestjs/common';
import { notify } from './safe-observer';

describe('notify', () => {
  it('runs the observer, and keeps its error to itself: the first is logged without its message', () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {
      throw new Error('the log fails as well');
    });
    const observer = jest.fn();
    notify(observer);
    expect(observer).toHaveBeenCalledTimes(1);
    observer.mockImplementation(() => {
      throw new TypeError('hidden');
    });
    for (let calls = 0; calls < 3; calls += 1) notify(observer);
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/^An observer failed: TypeError\n/)]]);
    expect(String(logged.mock.calls)).not.toContain('hidden');
    logged.mockRestore();
  });
});

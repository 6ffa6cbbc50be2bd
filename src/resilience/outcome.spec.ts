import { ClientDisconnectedError } from './client-disconnected.error';
import { badResponse } from './http-failures';
import { outcomeOf } from './outcome';
import { UpstreamFailure } from './upstream-failure';

describe('outcomeOf', () => {
  it.each([
    [new UpstreamFailure('saturated', 'x'), 'saturated'],
    [badResponse('x'), 'bad-reply'],
    [new ClientDisconnectedError(), 'caller-left'],
    [new TypeError('x'), 'internal'],
    ['x', 'internal'],
    [undefined, 'internal'],
  ])('%p is labelled %s', (error, label) => {
    expect(outcomeOf(error)).toBe(label);
  });
});

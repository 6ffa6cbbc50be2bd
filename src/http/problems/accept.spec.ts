import * as fc from 'fast-check';
import { namedWeight } from './accept';

const PROBLEM = 'application/problem+json';

describe('namedWeight', () => {
  it.each<[string | undefined, number]>([
    [PROBLEM, 1],
    ['Application/Problem+JSON', 1],
    [`application/json, ${PROBLEM}`, 1],
    [`text/html,${PROBLEM};q=0.5,*/*;q=0.1`, 0.5],
    [`${PROBLEM}; charset=utf-8 ; Q=0.001`, 0.001],
    [`${PROBLEM};q=0, ${PROBLEM};profile=x`, 1],
    [`${PROBLEM};q=1.000`, 1],
    [`${PROBLEM};q=0`, 0],
    [`${PROBLEM};q=0.000`, 0],
    [`${PROBLEM};q=2`, 0],
    [`${PROBLEM};q=high`, 0],
    [`${PROBLEM};q=`, 0],
    ['application/json', 0],
    ['application/*, */*', 0],
    [`x${PROBLEM}`, 0],
    ['', 0],
    [undefined, 0],
  ])('D37 gives %j the weight %d', (accept, weight) => {
    expect(namedWeight(accept, PROBLEM)).toBe(weight);
  });

  it('D37 is a number from 0 to 1 for any header', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const weight = namedWeight(`${text},${PROBLEM};q=${text}`, PROBLEM);
        expect(weight >= 0 && weight <= 1).toBe(true);
      }),
    );
  });
});

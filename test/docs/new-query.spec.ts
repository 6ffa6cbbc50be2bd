import * as fc from 'fast-check';
import { expectFree, formatted, plan, RELATIVES } from '../../tools/new-query/new-query';

const WORDS = 'By In New Class Context Params Query Page Number Status Shipping Shippings A1 Delivery2'.split(' ');
const word = fc.oneof(fc.constantFrom(...WORDS), fc.stringMatching(/^[A-Z][a-z0-9]{1,9}$/));
const name = fc
  .tuple(fc.constantFrom('Get', 'Find', 'List', 'Search'), fc.array(word, { minLength: 1, maxLength: 6 }))
  .map(([verb, words]) => verb + words.join(''))
  .filter((made) => made.length <= 60);

describe('npm run new:query', () => {
  it('leaves files that linter and formatter accept, whatever the name', () =>
    fc.assert(
      fc.asyncProperty(name, fc.constantFrom(...Object.values(RELATIVES)), async (made, relative) => {
        const files = await plan(made, relative);
        expect(files.size).toBe(5);
        for (const [path, text] of files) expect(await formatted(path, text)).toBe(text);
      }),
      // Half a second each; every run of CI tries others.
      { numRuns: 8 },
    ));

  it.each([
    ...['', 'getShipping', 'GetSHIPPING', '../../GetShipping', 'DeleteShipping', 'GetShippingDetails', 'FindSingle'],
    `Get${'Long'.repeat(20)}`,
  ])('refuses %j', (given) => {
    expect(() => {
      expectFree(given);
    }).toThrow(given);
  });
});

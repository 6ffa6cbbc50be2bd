import * as fc from 'fast-check';
import { expectFree, plan, RELATIVES } from '../../tools/new-query/new-query';

const WORDS = 'By In New Class Context Params Query Page Number Status Shipping Shippings A1 Delivery2'.split(' ');
const word = fc.oneof(fc.constantFrom(...WORDS), fc.stringMatching(/^[A-Z][a-z0-9]{1,9}$/));
const name = fc
  .tuple(fc.constantFrom('Get', 'Find', 'List', 'Search'), fc.array(word, { minLength: 1, maxLength: 6 }))
  .map(([verb, words]) => verb + words.join(''))
  .filter((made) => made.length <= 60);

describe('npm run new:query', () => {
  it('makes files of the new names alone, and adds them to the others, whatever the name', () => {
    fc.assert(
      fc.property(name, fc.constantFrom(...Object.values(RELATIVES)), (made, relative) => {
        const [query, handler, controller, texts, module] = [...plan(made, relative).values()];
        expect(query).toContain(`export class ${made}Query`);
        expect(handler).toContain(`export class ${made}Handler`);
        expect(`${query}${handler}`).not.toContain(relative.name);
        expect(controller).toContain(`@Get('${made}')`);
        expect(module).toContain(`  ${made}Handler,\n`);
        expect(texts).toContain('"summary":"Shipments ');
      }),
    );
  });

  it('takes the name of a member of every object for free', () => {
    expectFree('GetConstructor');
  });

  it.each([
    ...['', 'getShipping', 'GetSHIPPING', '../../GetShipping', 'DeleteShipping', 'GetShippingDetails', 'FindSingle'],
    `Get${'Long'.repeat(20)}`,
  ])('refuses %j', (given) => {
    expect(() => {
      expectFree(given);
    }).toThrow(given);
  });
});

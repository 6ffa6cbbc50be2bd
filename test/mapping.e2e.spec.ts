import * as fc from 'fast-check';
import { expectAnswer, expectProblem, expectShape, expectUnavailable } from './support/expectations';
import { OPERATIONS, type Operation } from './support/operations';
import { useScriptedService } from './support/service';
import { inCamelCase, RECORD_FIELDS } from './support/upstream/records';
import { json, jsonText } from './support/upstream/responses';

const COMPLETE = 'complete';
const UNAVAILABLE = 'unavailable;reason=bad-reply';

/** Written into JSON as the number that it holds, digit by digit. */
const digits = (text: string): string => `<digits:${text}>`;

/** JSON text, with {@link digits} as numbers that `JSON.stringify` could not write. */
function jsonOf(reply: unknown): string {
  return JSON.stringify(reply).replaceAll(/"<digits:([^>]+)>"/g, '$1');
}

describe('mapping', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  const ask = (operation: Operation) => scripted.service.request(operation.request);

  describe('any upstream response', () => {
    const field = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom<unknown>('in_transit', '2026-03-14T09:26:53', '', 0, -1, 1.5, 1e300, true, null),
      fc.constantFrom('9007199254740993', '1e999', '-0', '0.1e-400').map(digits),
    );
    const item = fc.oneof(
      field,
      fc.record({ Id: field, Sku: field, Description: field, Quantity: field, Weight: field }, { requiredKeys: [] }),
    );
    const record = fc.record(
      {
        Id: fc.oneof({ weight: 3, arbitrary: fc.constant('SHP-1') }, field),
        ...Object.fromEntries(
          RECORD_FIELDS.flatMap(({ upstream }) => Object.keys(upstream)).map((name) => [name, field]),
        ),
        ShippingItems: fc.oneof(field, fc.array(item, { maxLength: 3 })),
      },
      { requiredKeys: [] },
    );
    const records = fc.oneof(
      { weight: 4, arbitrary: fc.array(fc.oneof({ weight: 3, arbitrary: record }, field), { maxLength: 4 }) },
      field,
    );
    const list = fc.record(
      {
        Items: records,
        ShippingDetails: records,
        TotalCount: fc.oneof({ weight: 3, arbitrary: fc.nat() }, field),
        PageNumber: field,
        PageSize: field,
        TotalPages: field,
        HasPreviousPage: field,
        HasNextPage: field,
      },
      { requiredKeys: [] },
    );
    const reply: fc.Arbitrary<unknown> = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(record, list).map(([one, many]) => ({ ...one, ...many })) },
      { weight: 1, arbitrary: fc.jsonValue() },
    );

    it.each(OPERATIONS)('D18 and D19: $name returns a documented response', async (operation) => {
      let complete = 0;
      await fc.assert(
        fc.asyncProperty(reply, fc.boolean(), async (value, camel) => {
          // Sound answers in between keep the circuit closed, whatever share of the others fails.
          scripted.upstream.enqueue(jsonText(jsonOf(camel ? inCamelCase(value) : value)), json(), json());
          const answer = await ask(operation);
          if (!operation.single || answer.status === 200) {
            expectAnswer(operation, answer);
            if (answer.headers['shipping-completeness'] === UNAVAILABLE)
              expectUnavailable(operation, answer, 'bad-reply');
          } else {
            expect([404, 500]).toContain(answer.status);
            expectProblem(
              answer,
              answer.status,
              answer.status === 404 ? 'shipping-not-found' : 'external-system-failed',
            );
          }
          for (let again = 0; again < 2; again++) {
            const sound = await ask(operation);
            expectShape(operation, sound.json());
            if (sound.headers['shipping-completeness'] === COMPLETE) complete++;
          }
        }),
        { numRuns: 75 },
      );
      expect(complete).toBe(150);
    });
  });
});

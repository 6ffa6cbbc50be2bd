import * as fc from 'fast-check';
import * as bodies from '../../testing/upstream/body-faults';
import { closesAfterAnswer, closesKeepAliveAsReused, raw } from '../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../testing/upstream/exchange';
import { wireBody } from '../../testing/upstream/records';
import { earlyHints, http10, jsonBytes } from '../../testing/upstream/responses';
import { useMonotonicClock } from '../support/monotonic-clock';
import { completenessOf, OPERATIONS, PATIENT, STRICT } from '../support/operations';
import { useScriptedService } from '../support/service';
import { anyMutationOf } from './support/any-mutation';
import { expectRecovered, POLICY_WINDOW_MS } from './support/fault-responses';

// An unhandled rejection fails the test during which it happens; Jest sees to that.

const PARTIAL = 'partial;reason=bad-reply';

/** Oddities of the wire that must not cost the client its response, and how complete that response is. */
const HARMLESS: readonly (readonly [name: string, completeness: string, behaviour: Behaviour])[] = [
  ['a kept-alive connection reset just as it is reused', 'complete', closesKeepAliveAsReused()],
  ['a connection closed after each response', 'complete', closesAfterAnswer()],
  ['__proto__ and constructor keys', 'complete', bodies.protoKeys()],
  ['duplicate keys', 'complete', bodies.duplicateKeys()],
  ['integers beyond 2^53', PARTIAL, bodies.unsafeIntegers()],
  ['a field 4,000 arrays deep', PARTIAL, bodies.deepField()],
  ['a second response, not requested', 'complete', bodies.answersTwice()],
  ['HTTP/1.0', 'complete', http10()],
  ['an informational response first', 'complete', earlyHints()],
];

describe('an external system with oddities', () => {
  const scripted = useScriptedService(PATIENT);

  it.each(HARMLESS)('D18 D19 %s: 200, %s', async (_, completeness, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    for (const operation of OPERATIONS) {
      const response = await scripted.service.request(operation.request);
      expect([operation.name, response.status, completenessOf(response)]).toEqual([operation.name, 200, completeness]);
      expect(response.body).not.toMatch(/polluted|SHP-FIRST|SMUGGLED|900719925474099/);
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await expectRecovered(scripted);
  });
});

/** A response of the external system; one byte a character. */
const VALID_BODY = jsonBytes(wireBody()).toString('latin1');
const VALID_HEADERS = { 'Content-Type': 'application/json', 'Content-Length': String(VALID_BODY.length) };
const VALID_RESPONSE = responseHead(200, VALID_HEADERS) + VALID_BODY;
/** Status, code, and reason or completeness of what may follow from it with mutated bytes. */
const MAY_FOLLOW = new RegExp(
  '^(200 {2}(complete|(partial|unavailable);reason=(bad-reply|upstream-\\w+))' +
    '|404 shipping-not-found |50[023] external-system-failed (bad-reply|upstream-\\w+))',
);

describe('an external system whose bytes are mutated', () => {
  const clock = useMonotonicClock();
  const scripted = useScriptedService({ ...PATIENT, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('D18 D19 D20 gives a result or a failure, then recovery', async () => {
    const { service, upstream } = scripted;
    const request = fc.tuple(fc.constantFrom(...OPERATIONS), fc.constantFrom(STRICT, {}));
    await fc.assert(
      fc.asyncProperty(request, anyMutationOf(VALID_RESPONSE), async ([operation, headers], bytes) => {
        clock.advance(POLICY_WINDOW_MS);
        upstream.respondWith(raw(bytes));
        const response = await service.request(operation.request, headers);
        const { code, reason } =
          response.status < 400 ? { code: '', reason: completenessOf(response) } : response.json();
        expect(`${response.status} ${code} ${reason}`).toMatch(MAY_FOLLOW);
      }),
    );
    clock.advance(POLICY_WINDOW_MS);
    await expectRecovered(scripted);
  });
});

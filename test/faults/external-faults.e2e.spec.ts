import * as fc from 'fast-check';
import * as bodies from '../../testing/upstream/body-faults';
import { closesAfterAnswer, closesKeepAliveAsReused, raw } from '../../testing/upstream/connection-faults';
import { type Behaviour, responseHead } from '../../testing/upstream/exchange';
import { wireBody } from '../../testing/upstream/records';
import { earlyHints, http10, jsonBytes } from '../../testing/upstream/responses';
import { completenessOf } from '../support/expected';
import { useMonotonicClock } from '../support/monotonic-clock';
import { OPERATIONS, STRICT } from '../support/operations';
import { ONCE, PATIENT, useScriptedService } from '../support/service';
import { anyMutationOf } from './support/any-mutation';
import { expectRecovered, POLICY_WINDOW_MS } from './support/fault-responses';

// An unhandled rejection fails the test during which it happens; Jest sees to that.

const PARTIAL = 'partial;reason=bad-reply';

/** Oddities of the wire that must not cost the client its response. */
const HARMLESS: readonly { readonly what: string; readonly completeness: string; readonly behaviour: Behaviour }[] = [
  { what: 'a connection reset as it is reused', completeness: 'complete', behaviour: closesKeepAliveAsReused() },
  { what: 'a connection closed after each response', completeness: 'complete', behaviour: closesAfterAnswer() },
  { what: '__proto__ and constructor keys', completeness: 'complete', behaviour: bodies.protoKeys() },
  { what: 'duplicate keys', completeness: 'complete', behaviour: bodies.duplicateKeys() },
  { what: 'integers beyond 2^53', completeness: PARTIAL, behaviour: bodies.unsafeIntegers() },
  { what: 'a field 4,000 arrays deep', completeness: PARTIAL, behaviour: bodies.deepField() },
  { what: 'a second response, not requested', completeness: 'complete', behaviour: bodies.answersTwice() },
  { what: 'HTTP/1.0', completeness: 'complete', behaviour: http10() },
  { what: 'an informational response first', completeness: 'complete', behaviour: earlyHints() },
];

describe('an external system with oddities', () => {
  const scripted = useScriptedService(PATIENT);

  it.each(HARMLESS)('D18 D19 $what: 200, $completeness', async ({ completeness, behaviour }) => {
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
  const scripted = useScriptedService(ONCE);

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

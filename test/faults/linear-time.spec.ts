import { succeeds } from '../../src/common/errors';
import { isoUtc, parseDate } from '../../src/common/iso-date';
import { trimmed, withoutPort } from '../../src/common/text';
import { comparableName, decodePair, pairsOf, pathOf } from '../../src/http/request-target';
import { routableTarget } from '../../src/http/requests/refusals';
import { prefersStrictHandling, requestIdOf } from '../../src/http/requests/request-headers';
import { acceptsGzip } from '../../src/http/responses/compression';
import { continueTrace } from '../../src/observability/tracing/tracing';
import { retryAfterMs } from '../../src/resilience/upstream-failure';
import { countOf } from '../../src/shipping/gateway/protocol/value-reader';
import { codingsOf } from '../../src/shipping/gateway/transport/content-encoding';
import { checkShape, describeType, parseJson, textOf } from '../../src/shipping/gateway/transport/response-text';
import { shippingStatusFromName } from '../../src/shipping/model/shipping-status';

/** Just below the 16 KiB that a request may have. */
const LENGTH = 15_000;
/** Quadratic time is thousands of times as long. */
const MAX_RATIO = 50;
const REPETITIONS = 5;
/** A text that seems slow is measured so often, because all of five times may fall into the turns of other processes. */
const REPETITIONS_OF_SUSPECTS = 50;

/** What the grammars of headers and parameters give a meaning to. */
const UNITS = [
  ...['"', '\\', '\\"', ',', ';', '=', ' ', '\t', '\u00a0', '.', ':', '/', '-', '+', '*', '[', ']', '&'],
  ...['%', '%2', '%20', 'a,', 'a=', 'a;', '0', '1.', 'a ', '""', '%c3%a4', ';q=0.1,', 'W/"', 'handling'],
];
/** Every normal form sorts the marks behind one letter, which takes quadratic time (D18). */
const MARKS = 'a' + '\u0301\u0323'.repeat(LENGTH / 2);
const BEGINNINGS = ['', '"', 'a', 'Bearer ', 'handling=', '[', '2026-01-01T00:00:00', 'Sun, '];
const ENDS = ['', '\\'];

const PLAIN = 'a'.repeat(LENGTH);
const HOSTILE = [
  MARKS,
  ...BEGINNINGS.flatMap((beginning) =>
    ENDS.flatMap((end) => UNITS.map((unit) => beginning + repeated(unit, beginning.length + end.length) + end)),
  ),
];

type Work = (text: string) => unknown;

function repeated(unit: string, others: number): string {
  return unit.repeat(Math.floor((LENGTH - others) / unit.length));
}

/**
 * The texts that take much longer than a plain one and 2.5 times as long a character as their first quarter does.
 * Each time is the shortest of several, so that a busy machine is not to blame.
 */
function slow(texts: readonly string[], work: Work): string[] {
  const limitMs = MAX_RATIO * Math.max(shortest(work, PLAIN), shortest(readAll, PLAIN));
  const found: string[] = [];
  for (const text of texts) {
    if (shortest(work, text, limitMs) <= limitMs) continue;
    const ms = shortest(work, text, limitMs, REPETITIONS_OF_SUSPECTS);
    if (ms <= limitMs) continue;
    const quarterMs = shortest(work, text.slice(0, text.length / 4) + text.slice(-1));
    if (ms > 10 * quarterMs) found.push(`${text.slice(0, 40)}…${text.slice(-5)}: ${ms} ms`);
  }
  return found;
}

/** The shortest of several times that a work takes; the first that is short enough will do. */
function shortest(work: Work, text: string, enoughMs = 0, repetitions = REPETITIONS): number {
  let best = Infinity;
  for (let time = 0; time < repetitions && best > enoughMs; time += 1) {
    const from = performance.now();
    work(text);
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

/** Is measured too, because a parser that refuses a plain text at its first character says nothing about others. */
function readAll(text: string): string {
  return text.replace(/[^]/g, (character) => character);
}

it.each<readonly [string, Work]>([
  ['prefersStrictHandling', prefersStrictHandling],
  ['requestIdOf', (text) => requestIdOf({ headers: { 'x-request-id': text } })],
  ['continueTrace', continueTrace],
  ['withoutPort', withoutPort],
  ['comparableName', comparableName],
  ['trimmed', trimmed],
  ['parseDate', (text) => parseDate(text)],
  ['isoUtc', isoUtc],
  ['pairsOf', (text) => pairsOf({ originalUrl: `?${text}` })],
  ['decodePair', decodePair],
  ['pathOf', pathOf],
  ['routableTarget', (url) => routableTarget({ url })],
  ['retryAfterMs', (text) => retryAfterMs(text, text)],
  ['shippingStatusFromName', shippingStatusFromName],
  ['parseJson', (text) => parseJson(JSON.stringify(text), {})],
  ['parseJson of what is no JSON', (text) => succeeds(() => parseJson(text, { 'content-type': text }))],
  ['checkShape', (text) => succeeds(checkShape.bind(undefined, text, LENGTH))],
  ['describeType', describeType],
  ['textOf', (text) => succeeds(() => textOf(Buffer.from(text), { 'content-type': `a/json;charset=${text}` }))],
  ['codingsOf', (text) => succeeds(() => codingsOf(text))],
  ['acceptsGzip', acceptsGzip],
  ['countOf', countOf],
])('D34 %s takes no more than linear time', (_, parser) => {
  expect(slow(HOSTILE, parser)).toEqual([]);
});

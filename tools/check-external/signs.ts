import { isoUtc } from '#src/common/iso-date';
import { booleanOf, isAbsent, isUpstreamObject } from '#src/shipping/gateway/protocol/value-reader';
import { headerText } from '#src/shipping/gateway/transport/response-text';
import { MAX_REFERENCE_LENGTH } from '#src/shipping/model/parameter-rules';
import { type CheckedSystem, must } from './checked-system';
import { NAMEABLE } from './fields';
import { sentBy } from './received';

/** What shows by itself in what was sent, whatever was asked for. */
interface Sign {
  readonly rule: string;
  readonly where: 'header' | 'body' | 'record';
  /** The names that may have the sign, in lower case and without `_`, `@` and `-`; within an object `shards.failed`. */
  readonly name: RegExp;
  /** Whether a value is the sign; a text says what the value means, without the value. */
  readonly read: (value: unknown) => boolean | string;
  /** Whether it breaks the rule. Others are legal, and mostly a fault. */
  readonly isFault?: true;
}

const HOURS_S = 3600;
const YEARS_MS = 50 * 366 * 86_400_000;

const isTrue = (value: unknown): boolean => booleanOf(value) === true;
const isFalse = (value: unknown): boolean => booleanOf(value) === false;
function isFilled(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isUpstreamObject(value)) return Object.values(value).some(isFilled);
  return !isAbsent(value) && !isFalse(value);
}
const isInexact = (value: unknown): boolean => typeof value === 'string' && !/^(?:exact|eq)?$/i.test(value);

/** A Buddhist year is 543 ahead; 1900 and 1970 are the first days of databases and clocks. */
function isNoDate(value: unknown): boolean {
  const time = Date.parse(typeof value === 'string' ? (isoUtc(value) ?? '') : '');
  return time < Date.UTC(1971) || time > Date.now() + YEARS_MS;
}

function hasNoZone(value: unknown): string | false {
  const isLocal = typeof value === 'string' && !/Z$|[+-]\d\d(?::?\d\d)?$|^\s*$/i.test(value);
  return isLocal && 'without a zone, read as UTC';
}

/** The service refuses such order ids and tracking numbers in requests: no client can look up the record. */
const isTooLong = (value: unknown): boolean => typeof value === 'string' && value.length > MAX_REFERENCE_LENGTH;

// prettier-ignore
const SIGNS: readonly Sign[] = [
  { rule: 'whole', where: 'body', name: /^(?:is)?succe(?:ss|eded)$/, read: isFalse, isFault: true },
  { rule: 'whole', where: 'body', name: /^(?:errors?|faults?)$/, read: isFilled, isFault: true },
  { rule: 'whole', where: 'body', name: /^timedout$|^terminatedearly$|^(?:is)?(?:partial|incomplete)(?:results?)?$/, read: isTrue, isFault: true },
  { rule: 'whole', where: 'body', name: /^shards\.(?:failed|failures)$|^failures$/, read: isFilled, isFault: true },
  { rule: 'whole', where: 'body', name: /^(?:odata\.)?warnings?$/, read: isFilled },
  { rule: 'whole', where: 'body', name: /^totalcounttype$|relation$/, read: isInexact },
  { rule: 'fresh', where: 'header', name: /^age$/, read: (value) => Number(value) >= HOURS_S, isFault: true },
  { rule: 'fresh', where: 'header', name: /^warning$/, read: (value) => /^11[0-3]\b/.test(headerText(value)), isFault: true },
  { rule: 'dates', where: 'record', name: /^(?:created|modified)date$/, read: isNoDate, isFault: true },
  { rule: 'dates', where: 'record', name: /^(?:created|modified)date$/, read: hasNoZone },
  { rule: 'references', where: 'record', name: /^(?:orderid|trackingnumber)$/, read: isTooLong, isFault: true },
  { rule: 'texts-of-null', where: 'record', name: /^/, read: (value) => typeof value === 'string' && /^(?:null|undefined|none|nan)$/i.test(value) },
];

/** Looks for the signs of one rule in all responses so far. @returns those that break no rule */
export function signs(rule: string) {
  return ({ calls }: CheckedSystem): string | undefined => {
    const { bodies, records } = sentBy(calls);
    const successes = calls.flatMap(({ responses }) => responses).filter(({ status }) => status === 200);
    const places = {
      header: successes.flatMap(({ headers }) => Object.entries(headers)),
      body: bodies.flatMap((body) => [...Object.entries(body), ...Object.entries(body).flatMap(within)]),
      record: records.flatMap(Object.entries) as [string, unknown][],
    };
    const found = { fault: new Set<string>(), remark: new Set<string>() };
    for (const { where, name, read, isFault } of SIGNS.filter((sign) => sign.rule === rule)) {
      for (const [own, value] of places[where]) {
        const sign = NAMEABLE.test(own) && name.test(own.replace(/[_@-]/g, '').toLowerCase()) && read(value);
        if (sign !== false) found[isFault ? 'fault' : 'remark'].add(sign === true ? own : `${own} ${sign}`);
      }
    }
    must(found.fault.size === 0, `The responses have ${[...found.fault].join(', ')}`);
    return found.remark.size === 0 ? undefined : `The responses have ${[...found.remark].slice(0, 5).join('; ')}`;
  };
}

/** The fields of an object in a body, by the names of both. */
function within([name, object]: [string, unknown]): [string, unknown][] {
  if (!isUpstreamObject(object)) return [];
  return Object.entries(object).map(([own, value]) => [`${name}.${own}`, value]);
}

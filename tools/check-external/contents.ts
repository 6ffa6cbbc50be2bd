import { type Cause, printCauses } from '#src/common/errors';
import { ShippingStatus } from '#src/index';
import { type CheckedSystem, must, needed, unknownLike, wordIn } from './checked-system';

/** What is legal, and yet mostly a fault: rules over the values of all requests, and over the words of a search. */

/**
 * Signs of a text that was damaged on its way: U+FFFD, UTF-8 that was decoded as Latin-1 or Windows-1252, an HTML
 * entity, a question mark inside a word.
 */
const DAMAGED = /\uFFFD|[ÂÃÅÄ][\u0080-\u00BF\u0152-\u0178\u2018-\u2122]|&(?:#\d+|#x[\da-f]+|[a-z]+);|\p{L}\?\p{L}/iu;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** Checks all responses of an operation so far: no value is malformed. */
export function values(operation: string) {
  return (system: CheckedSystem): void => {
    const own = system.calls.filter((call) => call.operation === operation);
    const results = own.flatMap(({ result }) => result?.completeness ?? []);
    const partial = results.filter(({ level }) => level === 'partial');
    const causes = new Set(partial.map((each) => printCauses((each.causes ?? []).map(withoutCount))));
    must(partial.length === 0, `In ${partial.length} of ${own.length} responses: ${[...causes].join('; ')}`);
    needed(system.records(operation)[0], 'Needs a record');
  };
}

const withoutCount = ({ what, field }: Cause): Cause => ({ what, field });

/** Status words that are not known become `Unknown`, and the response is complete: the log has the words. */
export function statusWords(system: CheckedSystem): string | undefined {
  const statuses = [...new Map(system.records().map(({ id, status }) => [id, status])).values()];
  needed(statuses[0], 'Needs a record');
  const unreadable = statuses.filter((status) => status === ShippingStatus.Unknown).length;
  if (unreadable === 0) return undefined;
  const share = `${unreadable} of ${statuses.length} records have no status that can be read`;
  must(2 * unreadable <= statuses.length, share);
  return share;
}

/** @returns how many listed records are soft-deleted, which is right in the variant `basic` of the specification */
export function deleted({ samples: { records } }: CheckedSystem): string | undefined {
  needed(records[0], 'Needs a record');
  const count = records.filter(({ isActive }) => !isActive).length;
  must(count < records.length || count < 2, 'Every listed record is soft-deleted');
  if (count === 0) return undefined;
  return `${count} of ${records.length} listed records are soft-deleted, as in the variant basic`;
}

/**
 * Checks the texts with special characters. One in ten may have been damaged before it came into the system; where more
 * are, the system damages them when it sends them. @returns how many are damaged
 */
export function texts(system: CheckedSystem): string | undefined {
  const all = [...new Map(system.records().map((record) => [record.id, JSON.stringify(record)])).values()];
  needed(all[0], 'Needs a record');
  const damaged = all.filter((text) => DAMAGED.test(text)).length;
  const foreign = all.filter((text) => BEYOND_ASCII.test(text) || DAMAGED.test(text)).length;
  const fault = `${damaged} of ${foreign} records with special characters have damaged texts`;
  must(10 * damaged <= foreign, fault);
  return damaged > 0 ? fault : undefined;
}

export async function searchBeyondAscii(system: CheckedSystem): Promise<void> {
  const [word] = system.samples.records.flatMap(({ shippingAddress }) => wordIn(shippingAddress, BEYOND_ASCII) ?? []);
  const found = (await system.page({ SearchTerm: word ?? unknownLike('Zürich-') })).items;
  needed(word, 'Needs a record with a letter beyond ASCII in its ShippingAddress');
  must(found.length > 0, 'A listed record is not found by a word beyond ASCII of its address');
}

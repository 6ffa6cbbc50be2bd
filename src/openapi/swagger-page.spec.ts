import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { REASONS } from '../http/problems/problem-definitions';
import { REMEDIES } from './pages';

interface Note {
  readonly title: string;
  readonly text: string;
  readonly about?: string;
}
type NotesOf = (response: object, texts: object) => Note[];
interface Plugin {
  readonly wrapComponents: { readonly responses: (...of: unknown[]) => (props: object) => Element };
}
/** An element as {@link createElement} makes it. */
interface Element {
  readonly type: unknown;
  readonly props: { readonly ref?: (line: object | null) => void } | null;
  readonly children: readonly unknown[];
}
const createElement = (type: unknown, props: Element['props'], ...children: unknown[]): Element => {
  return { type, props, children };
};

/** What the script defines, with nothing around it but the head of the page. */
const { notesOf, errorNotesOf, pagePlugin } = runInNewContext(
  `${readFileSync(join(__dirname, 'swagger-page.js'), 'utf8')}; ({ notesOf, errorNotesOf, pagePlugin });`,
  { document: { head: { insertAdjacentHTML: () => undefined } } },
) as { notesOf: NotesOf; errorNotesOf: NotesOf; pagePlugin: Plugin };
const TEXTS = { reasons: REASONS, remedies: REMEDIES, problems: '/base/problems' };

const FAILED = 'The external system failed.';
const TRY = 'Try again after some seconds; tell the operator where it goes on.';
const SELDOM = 'Trying again seldom helps: tell the operator, with X-Request-Id.';
const LIMITED = 'Perhaps cut off: The list has 20 records, and there may be more: raise Limit, or read the paged list.';
const IGNORED = { 'shipping-ignored-parameters': '"a", "b"' };
const WITHOUT_EFFECT =
  'Without effect: "a", "b". With Prefer: handling=strict this is an error that says what is right. #invalid-parameters';
const GONE = 'Error: No response of the service came. Try again after a minute.';

interface Shown {
  readonly status?: number;
  readonly completeness?: string;
  /** Further headers. */
  readonly more?: Readonly<Record<string, string>>;
  readonly obj?: object | string;
  /** With `#` before what they lead to. */
  readonly notes: readonly string[];
}
const RESPONSES: readonly Shown[] = [
  { completeness: 'complete', obj: { id: 'A' }, notes: ['Complete: 1 record.'] },
  { completeness: 'complete', obj: [1, 2], notes: ['Complete: 2 records.'] },
  { completeness: 'complete', obj: [], notes: ['Complete: 0 records.'] },
  { completeness: 'complete', obj: { items: [1, 2], totalCount: 45 }, notes: ['Complete: 2 of 45 records.'] },
  {
    completeness: 'complete',
    obj: { items: [], totalCount: 45, totalPages: 5 },
    notes: ['Complete: 0 of 45 records. The last page is 5.'],
  },
  { notes: [] },
  { completeness: 'of a later version;x=y', notes: [] },
  { completeness: 'complete;limit=20', obj: [], notes: [LIMITED] },
  {
    completeness: 'unavailable;reason=upstream-error',
    notes: [`Incomplete: ${FAILED} This is not an empty result. ${TRY} #upstream-error`],
  },
  { completeness: 'unavailable;reason=new', notes: [`Incomplete: ${FAILED} This is not an empty result.  #new`] },
  {
    completeness: 'partial;reason=bad-reply',
    notes: [`Incomplete: ${REASONS['bad-reply'].cause} Malformed values are null here. ${SELDOM} #bad-reply`],
  },
  {
    completeness: 'partial;reason=internal;dropped=2',
    notes: [expect.stringContaining('itself failed. Malformed records left out: 2. Try') as string],
  },
  {
    completeness: 'stale;reason=upstream-error',
    notes: [`Not current: ${FAILED} This is the last complete result. ${TRY} #upstream-error`],
  },
  {
    completeness: 'stale;reason=upstream-error',
    more: { age: '7' },
    notes: [`Not current: ${FAILED} This is the last complete result, 7 seconds old. ${TRY} #upstream-error`],
  },
  { completeness: 'complete', more: IGNORED, obj: [], notes: ['Complete: 0 records.', WITHOUT_EFFECT] },
  {
    status: 304,
    completeness: 'complete',
    notes: ['Unchanged: The response is still the one that If-None-Match names.'],
  },
  {
    status: 400,
    obj: 'Page size',
    notes: ['Error: Page size. Correct the number, or leave its field empty. #invalid-parameters'],
  },
  {
    status: 400,
    obj: { code: 'invalid-parameters', detail: 'A is missing' },
    notes: ['Error: A is missing. Correct each parameter; its message says how. #invalid-parameters'],
  },
  {
    status: 404,
    obj: { code: 'shipping-not-found', detail: 'No.' },
    notes: ['Error: No. Check each value: a record has to match all that are given. #shipping-not-found'],
  },
  {
    status: 429,
    obj: { code: 'too-many-requests', detail: 'No.' },
    notes: [expect.stringMatching(/^Error: No\. Wait for the seconds .* #too-many-requests$/) as string],
  },
  {
    status: 503,
    obj: { code: 'no-replica', detail: 'No.' },
    notes: [expect.stringMatching(/^Error: No\. Wait for the seconds .* #no-replica$/) as string],
  },
  { status: 409, obj: { code: 'of-a-team', detail: 'No.' }, notes: ['Error: No.  #of-a-team'] },
  {
    status: 502,
    obj: { code: 'external-system-failed', reason: 'upstream-error', detail: FAILED },
    notes: [`Error: ${FAILED} ${TRY} #upstream-error`],
  },
  { status: 502, obj: '<html>', notes: [GONE] },
  { status: 0, notes: [GONE] },
];

describe('D88 what the page says above a response', () => {
  it.each(RESPONSES)(
    '$status $completeness $more $obj',
    ({ status = 200, completeness, more, obj, notes: expected }) => {
      const headers = { ...(completeness !== undefined && { 'shipping-completeness': completeness }), ...more };
      const response = { status, headers, obj };
      const notes = [...notesOf(response, TEXTS), ...errorNotesOf(response, TEXTS)];
      expect(
        notes.map(({ title, text, about }) => `${title}: ${text}${about === undefined ? '' : ` #${about}`}`),
      ).toEqual(expected);
    },
  );

  it('needs nothing but the options of Swagger UI, and makes new lines for each response', () => {
    const made: unknown[] = [];
    const useMemo = (make: () => unknown, dependencies: unknown[]): unknown => made.push(dependencies) && make();
    const shown = pagePlugin.wrapComponents.responses('Responses', {
      React: { createElement, useMemo },
      getConfigs: () => ({ responseNotes: TEXTS }),
    });
    const stateOf = (tryItOutResponse: object | null): unknown[] => {
      const { children } = shown({ tryItOutResponse });
      expect(children[1]).toMatchObject({ type: 'Responses', props: { tryItOutResponse } });
      return (children[0] as Element).children as unknown[];
    };
    expect(stateOf(null)).toEqual([undefined]);
    const [unchanged, unreachable] = [{ status: 304 }, {}].map((response, number) => {
      return { get: () => number, toJS: () => response };
    }) as [object, object];
    const [lines] = stateOf(unchanged) as [Element];
    expect(lines.children[0]).toMatchObject([{ type: 'p', props: { className: 'unchanged' } }]);
    expect((stateOf(unreachable) as [Element])[0].children[0]).toMatchObject([{ props: { className: 'error' } }]);
    expect(made).toEqual([[undefined], [0], [1]]);
    const line = { scrollIntoView: jest.fn() };
    for (const each of [line, null]) lines.props?.ref?.(each);
    expect(line.scrollIntoView).toHaveBeenCalledTimes(1);
  });
});

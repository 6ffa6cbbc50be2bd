import { runInNewContext } from 'node:vm';
import { FAILURE_REASON_HELP, REMEDIES } from '../../http/problems/problem-definitions';
import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import { fieldsPlugin, notesOf, notesPlugin, responseNotes } from './response-notes';

/** The functions as the page has them: their source alone. */
const inPage = <F>(functionOfPage: F): F => runInNewContext(`(${String(functionOfPage)})`) as F;

const HELP = { reasons: FAILURE_REASON_HELP, remedies: REMEDIES };
const FAILED = 'the external system failed (upstream-error)';
const STALE = 'stale;reason=upstream-error';
const LOST = `Incomplete: ${FAILED}. This is not an empty result. Try again`;
const LIMITED = 'Perhaps cut off: the list has as many records as its limit, 20. There may be more: raise Limit';
interface ShownResponse {
  readonly completeness?: string;
  /** Further headers. */
  readonly more?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** Parts of the notes. */
  readonly notes: readonly string[];
}
const IGNORED = { 'shipping-ignored-parameters': '"a", "b"' };
const RESPONSES: readonly ShownResponse[] = [
  { completeness: 'complete', notes: [] },
  { completeness: 'complete', body: [1, 2], notes: ['Complete: 2 records.'] },
  { completeness: 'complete', body: { items: [1, 2], totalCount: 45 }, notes: ['Complete: 2 of 45 records.'] },
  { notes: [] },
  { completeness: 'of a later version;x=y', notes: [] },
  { completeness: 'complete;limit=20', notes: [LIMITED] },
  { completeness: 'unavailable;reason=upstream-error', notes: [LOST] },
  { completeness: 'unavailable;reason=new', notes: ['Incomplete: the external system failed (new). This is not'] },
  { completeness: 'partial;reason=bad-reply', notes: ['Malformed values are null here. Trying again seldom helps'] },
  { completeness: 'partial;reason=bad-reply;dropped=2', notes: ['(bad-reply). Malformed records left out: 2. Trying'] },
  { completeness: STALE, notes: [`Not current: ${FAILED}. This is the last complete result. Try`] },
  { completeness: STALE, more: { age: '7' }, notes: ['the last complete result, 7 seconds old. Try again'] },
  { completeness: 'complete', more: IGNORED, notes: ['Without effect: "a", "b" (invalid-parameters). With'] },
  { completeness: 'unavailable;reason=internal', more: IGNORED, notes: ['itself failed (internal).', '"a"'] },
  { body: { code: 'route-not-found', detail: 'No.' }, notes: ['Error: No. (route-not-found) Check the path; the'] },
  { body: { code: 'of-a-team', detail: 'No.' }, notes: ['Error: No. (of-a-team) '] },
  { body: { code: 'external-system-failed', reason: 'upstream-error' }, notes: [`Error: ${FAILED}. Try again after`] },
];

type Call = (...parameters: unknown[]) => unknown;
interface Plugin {
  readonly statePlugins: {
    readonly spec: { readonly wrapActions: { readonly setResponse: (...of: unknown[]) => Call } };
  };
}

describe('D88 what the page says above a response', () => {
  it.each(RESPONSES)('$completeness $more $body', ({ completeness, more, body = {}, notes: expected }) => {
    const headers = { ...(completeness !== undefined && { 'shipping-completeness': completeness }), ...more };
    const notes = inPage(notesOf)(headers, HELP, body);
    const texts = notes.map(({ start, about, end = '' }) => start + (about === undefined ? '' : ` (${about})`) + end);
    expect(texts).toEqual(expected.map((text) => expect.stringContaining(text) as unknown));
  });

  it.each(FAILURE_REASONS)('says of %s what happened and what to do', (reason) => {
    const [note] = inPage(notesOf)({ 'shipping-completeness': `unavailable;reason=${reason}` }, HELP, {});
    const { cause, retry } = FAILURE_REASON_HELP[reason];
    const end = expect.stringContaining(retry) as unknown;
    expect(note).toEqual({ start: `Incomplete: ${cause}`, about: reason, end });
  });

  it('needs nothing but the options of Swagger UI', () => {
    const { plugins, responseNotes: notes } = responseNotes('/base');
    expect([plugins, notes]).toEqual([
      [notesPlugin, fieldsPlugin],
      expect.objectContaining({ problems: '/base/problems' }),
    ]);
    const { setResponse } = (inPage(notesPlugin)() as Plugin).statePlugins.spec.wrapActions;
    const set = setResponse((...stored: unknown[]) => stored, { getConfigs: () => ({ responseNotes: notes }) });
    const response = { headers: { age: '1', 'shipping-completeness': 'complete;limit=1', vary: '*' }, status: 200 };
    const stored = set('/p', 'get', response) as [string, string, typeof response];
    expect(stored).toEqual(['/p', 'get', { ...response, notes: [expect.anything()] }]);
    expect(Object.keys(stored[2].headers)).toEqual(['shipping-completeness', 'age', 'vary']);
    const failed = { err: { response: { headers: { vary: '*' }, obj: { code: 'bad-request' } } } };
    set('/p', 'get', failed);
    expect(failed.err.response).toMatchObject({ notes: [{ about: 'bad-request' }] });
    const unreachable = { err: new Error('Failed to fetch') };
    expect(set('/p', 'get', unreachable)).toEqual(['/p', 'get', unreachable]);
  });
});

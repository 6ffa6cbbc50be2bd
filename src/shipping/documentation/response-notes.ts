import { PROBLEMS_PATH } from '../../http/paths';
import { FAILURE_REASON_HELP, type ReasonHelp, REMEDIES } from '../../http/problems/problem-definitions';

/*
 * The exported functions but the last run in the Swagger page: `SwaggerModule` writes their source into the script of
 * the page. They use nothing of this file or of another one; what they need are parameters.
 */

/** A sentence above a response, around a link to the page of problems. */
export interface ResponseNote {
  readonly start: string;
  /** A reason or code: the anchor of the link. */
  readonly about?: string;
  readonly end?: string;
  /** Whether nothing is missing. */
  readonly isGood?: boolean;
}

type Texts = Readonly<Partial<Record<string, string>>>;
/** What happened by the reason, and what to do by the reason or the code of a problem. */
interface Help {
  readonly reasons: Readonly<Partial<Record<string, ReasonHelp>>>;
  readonly remedies: Texts;
}

/** What is read of a body: of a problem, of a list or of a page. */
interface ShownBody {
  readonly code?: string;
  readonly detail?: string;
  readonly reason?: string;
  readonly length?: number;
  readonly items?: readonly unknown[];
  readonly totalCount?: number;
}

/** What people should know of a response beside its body (D88); names of headers are in lower case. */
export function notesOf(headers: Texts, help: Help, body: ShownBody): ResponseNote[] {
  const notes: ResponseNote[] = [];
  const [level, ...members] = (headers['shipping-completeness'] ?? '').split(';');
  const values = Object.fromEntries(members.map((member) => member.split('=') as [string, string])) as Texts;
  const { reason: about = '', dropped, limit } = values;
  const { cause = 'the external system failed', retry = '' } = help.reasons[about] ?? {};
  if (level === 'unavailable') {
    notes.push({ start: `Incomplete: ${cause}`, about, end: `. This is not an empty result. ${retry}` });
  } else if (level === 'stale') {
    const age = headers.age === undefined ? '' : `, ${headers.age} seconds old`;
    notes.push({ start: `Not current: ${cause}`, about, end: `. This is the last complete result${age}. ${retry}` });
  } else if (level === 'partial') {
    const lost = dropped === undefined ? 'Malformed values are null here.' : `Malformed records left out: ${dropped}.`;
    notes.push({ start: `Incomplete: ${cause}`, about, end: `. ${lost} ${retry}` });
  } else if (limit !== undefined) {
    const start = `Perhaps cut off: the list has as many records as its limit, ${limit}.`;
    notes.push({ start: `${start} There may be more: raise Limit, or read the paged list.` });
  } else if (level === 'complete' && body.items !== undefined) {
    notes.push({ start: `Complete: ${body.items.length} of ${body.totalCount} records.`, isGood: true });
  } else if (level === 'complete' && body.length !== undefined) {
    notes.push({ start: `Complete: ${body.length} records.`, isGood: true });
  }
  const ignored = headers['shipping-ignored-parameters'];
  if (ignored !== undefined) {
    const end = '. With Prefer: handling=strict this is an error that says what is right.';
    notes.push({ start: `Without effect: ${ignored}`, about: 'invalid-parameters', end });
  }
  const { code, reason = '', detail = '' } = body;
  const failure = help.reasons[reason];
  if (failure !== undefined) {
    notes.push({ start: `Error: ${failure.cause}`, about: reason, end: `. ${failure.retry}` });
  } else if (code !== undefined) {
    notes.push({ start: `Error: ${detail}`, about: code, end: ` ${help.remedies[code] ?? ''}` });
  }
  return notes;
}

/** What the plugin uses of Swagger UI. */
interface SwaggerUi {
  readonly React: { readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown };
  readonly getConfigs: () => {
    readonly responseNotes: { readonly notesOf: typeof notesOf; readonly help: Help; readonly problems: string };
  };
}
interface Response {
  readonly headers?: Texts;
  readonly obj?: ShownBody;
  /** The error of a request; it has the response, if there was one, where the status was no success. */
  readonly err?: { response?: Response };
}
interface ResponsesProps {
  readonly tryItOutResponse?: {
    get(name: 'notes'): { toJS(): ResponseNote[] } | undefined;
    getIn(path: ['headers', 'x-request-id']): string | undefined;
  };
}

/** A plugin of Swagger UI: adds the notes, which screen readers read, and shows the headers of the service first. */
export function notesPlugin(): object {
  type SetResponse = (path: string, method: string, response: Response) => unknown;
  const setResponse = (set: SetResponse, ui: SwaggerUi) => (path: string, method: string, response: Response) => {
    const { notesOf: notes, help } = ui.getConfigs().responseNotes;
    const rank = ([name]: [string, unknown]): number => Number(!name.startsWith('shipping-'));
    const noted = (given: Response): Response => {
      const { headers = {}, obj } = given;
      const sorted = Object.fromEntries(Object.entries(headers).sort((one, other) => rank(one) - rank(other)));
      return { ...given, headers: sorted, notes: notes(headers, help, obj ?? {}) } as Response;
    };
    const { err } = response;
    if (err?.response !== undefined) err.response = noted(err.response);
    return set(path, method, err === undefined ? noted(response) : response);
  };
  const show = (line: { scrollIntoView: (options: object) => void } | null): void => {
    line?.scrollIntoView({ block: 'nearest' });
  };
  const responses = (Responses: unknown, { React: { createElement }, getConfigs }: SwaggerUi) => {
    return (props: ResponsesProps) => {
      const { tryItOutResponse: response } = props;
      const lines = response?.get('notes')?.toJS() ?? [];
      const paragraphs = lines.map(({ start, about, end, isGood }) => {
        const address = `${getConfigs().responseNotes.problems}#${about ?? ''}`;
        const link = about && [' (', createElement('a', { key: about, href: address, target: '_blank' }, about), ')'];
        return createElement('p', { key: start, className: isGood && 'good' }, start, link, end);
      });
      // The empty region is there from the start: screen readers only read what is added to a region that they know.
      // The lines of a response are an element of their own, which scrolls into view when it is made.
      const ofResponse = createElement(
        'div',
        { key: response?.getIn(['headers', 'x-request-id']), ref: show },
        paragraphs,
      );
      const region = { role: 'status', className: 'response-notes' };
      const status = createElement('div', region, lines.length > 0 && ofResponse);
      return createElement('div', null, status, createElement(Responses, props));
    };
  };
  return { wrapComponents: { responses }, statePlugins: { spec: { wrapActions: { setResponse } } } };
}

/** A plugin of Swagger UI: a keyboard reaches long texts, and no field is refused. */
export function fieldsPlugin(): object {
  // Boxes of text scroll, so that a keyboard has to reach them.
  const PlainTextViewer = (_: unknown, { React: { createElement } }: SwaggerUi) => {
    return ({ className = '', children }: { className?: string; children: unknown }) =>
      createElement('pre', { className: `microlight ${className}`, tabIndex: 0 }, children);
  };
  // Swagger UI would refuse by its own rules what the service accepts, such as a number with blanks around it, and its
  // messages say less than those of the service.
  const validateParams = () => () => undefined;
  return { wrapComponents: { PlainTextViewer }, statePlugins: { spec: { wrapActions: { validateParams } } } };
}

/** The options of Swagger UI for the notes. */
export function responseNotes(basePath: string): Readonly<Record<string, unknown>> {
  const problems = basePath + PROBLEMS_PATH;
  const help = { reasons: FAILURE_REASON_HELP, remedies: REMEDIES };
  return { plugins: [notesPlugin, fieldsPlugin], responseNotes: { notesOf, help, problems } };
}

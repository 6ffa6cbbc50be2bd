import {
  FAILURE_REASON_HELP,
  type Problem,
  PROBLEMS_PATH,
  type ReasonHelp,
  REMEDIES,
} from '../../http/problems/problem-definitions';
import type { PagedShippingList } from '../model/response-bodies';

/*
 * The functions but the last run in the Swagger page: `SwaggerModule` writes the source of each into the script of the
 * page. They use nothing of this file or of another one; what they need are parameters.
 */

/** A line above a response: what happened, and what to do. */
export interface ResponseNote {
  readonly title: string;
  readonly text: string;
  /** A reason or code: the anchor of the link to the page of problems. */
  readonly about?: string;
}

type Texts = Readonly<Partial<Record<string, string>>>;
/** What happened by the reason, and what to do by the reason or the code of a problem. */
interface Help {
  readonly reasons: Readonly<Partial<Record<string, ReasonHelp>>>;
  readonly remedies: Texts;
}

/** What is read of a body: of a problem, of a page or of a record. A list is an array, and a plain message a text. */
type ShownBody = Partial<Problem & PagedShippingList>;

/** What is read of a response as Swagger UI stores it; nothing of it is there where no response came. */
interface ShownResponse {
  readonly status?: number;
  /** The header fields of the response, by their names in lower case. */
  readonly headers?: Texts;
  readonly obj?: ShownBody | readonly unknown[] | string;
}

/** What people should know of a response beside its body (D88). */
export function notesOf({ status = 0, headers = {}, obj = '' }: ShownResponse, help: Help): ResponseNote[] {
  const notes: ResponseNote[] = [];
  const [level, ...members] = (headers['shipping-completeness'] ?? '').split(';');
  const { reason: about = '', dropped, limit } = Object.fromEntries(members.map((each) => each.split('='))) as Texts;
  const { cause = 'The external system failed.', retry = '' } = help.reasons[about] ?? {};
  if (level === 'unavailable') {
    notes.push({ title: 'Incomplete', text: `${cause} This is not an empty result. ${retry}`, about });
  } else if (level === 'stale') {
    const age = headers.age === undefined ? '' : `, ${headers.age} seconds old`;
    notes.push({ title: 'Not current', text: `${cause} This is the last complete result${age}. ${retry}`, about });
  } else if (level === 'partial') {
    const lost = dropped === undefined ? 'Malformed values are null here.' : `Malformed records left out: ${dropped}.`;
    notes.push({ title: 'Incomplete', text: `${cause} ${lost} ${retry}`, about });
  } else if (status === 304) {
    notes.push({ title: 'Unchanged', text: 'The response is still the one that If-None-Match names.' });
  } else if (limit !== undefined) {
    const text = `The list has ${limit} records, and there may be more: raise Limit, or read the paged list.`;
    notes.push({ title: 'Perhaps cut off', text });
  } else if (level === 'complete') {
    const body = Object(obj) as ShownBody;
    const { items = Array.isArray(obj) ? obj : [obj], totalCount: total = items.length, totalPages = 0 } = body;
    const part = body.items === undefined ? '' : `${items.length} of `;
    const last = items.length === 0 && total > 0 ? ` The last page is ${totalPages}.` : '';
    notes.push({ title: 'Complete', text: `${part}${total} record${total === 1 ? '' : 's'}.${last}` });
  }
  const ignored = headers['shipping-ignored-parameters'];
  if (ignored !== undefined) {
    const text = `${ignored}. With Prefer: handling=strict this is an error that says what is right.`;
    notes.push({ title: 'Without effect', text, about: 'invalid-parameters' });
  }
  return notes;
}

/** What the page says above an error: what happened, and what a person can do (D88). */
export function errorNotesOf({ status = 0, obj = '' }: ShownResponse, { reasons, remedies }: Help): ResponseNote[] {
  const title = 'Error';
  if (status === 400 && typeof obj === 'string') {
    const text = `${obj}. Correct the number, or leave its field empty.`;
    return [{ title, text, about: 'invalid-parameters' }];
  }
  const { code, detail, reason = '' } = Object(obj) as ShownBody;
  if (code === undefined || detail === undefined) {
    const text = 'No response of the service came. Try again after a minute.';
    return status === 0 || status >= 400 ? [{ title, text }] : [];
  }
  const remedy = reasons[reason]?.retry ?? remedies[code] ?? '';
  return [{ title, text: `${detail.replace(/\.$/, '')}. ${remedy}`, about: reason || code }];
}

/** A {@link ShownResponse} as Swagger UI keeps it. */
interface StoredResponse {
  get(name: 'headers'): unknown;
  toJS(): ShownResponse;
}
/** What the plugin uses of Swagger UI. */
interface SwaggerUi {
  readonly React: {
    readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => unknown;
    readonly useMemo: <Made>(make: () => Made, dependencies: readonly unknown[]) => Made;
  };
  readonly getConfigs: () => { readonly responseNotes: typeof NOTES & { readonly problems: string } };
}
interface FieldProps {
  readonly description?: string;
  readonly schema?: { getIn(path: ['examples', 0]): string | undefined };
}

const responses = (Responses: unknown, { React: { createElement, useMemo }, getConfigs }: SwaggerUi) => {
  return (props: { readonly tryItOutResponse: StoredResponse | null }) => {
    const { tryItOutResponse: response } = props;
    const { notesOf: notes, errorNotesOf: errorNotes, help, problems } = getConfigs().responseNotes;
    // They are made once for each response, because a list may be long. React calls a new function in `ref`, so that
    // those of each response scroll into view. Swagger UI makes a new object of the same response each time, but for
    // its headers.
    const lines = useMemo(() => {
      if (response === null) return undefined;
      const shown = response.toJS();
      const texts = [...notes(shown, help), ...errorNotes(shown, help)].map(({ title, text, about }) => {
        const link = about && createElement('a', { href: `${problems}#${about}`, target: '_blank' }, about);
        const name = createElement('strong', null, title);
        return createElement('p', { key: title, className: title.toLowerCase() }, name, `: ${text} `, link);
      });
      const show = (line: { scrollIntoView: (options: object) => void } | null): void => {
        line?.scrollIntoView({ block: 'nearest' });
      };
      return createElement('div', { ref: show }, texts);
    }, [response?.get('headers')]);
    // The empty region is there from the start: screen readers only read what is added to a region that they know.
    const region = createElement('div', { role: 'status', className: 'response-notes' }, lines);
    return createElement('div', null, region, createElement(Responses, props));
  };
};

// A button that is disabled while the response is awaited loses the focus.
const execute = (Execute: unknown, { React: { createElement } }: SwaggerUi) => {
  return (props: object) => createElement(Execute, { ...props, disabled: false });
};
// The fields of Swagger UI have no name but a placeholder, and its lists of values not even that.
const JsonSchema_string = (Field: unknown, { React: { createElement } }: SwaggerUi) => {
  return (props: FieldProps) => {
    const field = createElement(Field, { ...props, description: props.schema?.getIn(['examples', 0]) });
    return createElement('label', { className: 'field' }, createElement('span', null, props.description), field);
  };
};
const ExamplesSelect = (Select: unknown, { React: { createElement } }: SwaggerUi) => {
  return (props: object) => createElement('label', null, createElement(Select, { ...props, showLabels: true }));
};
// Boxes of text scroll, so that a keyboard has to reach them.
const PlainTextViewer = (_: unknown, { React: { createElement } }: SwaggerUi) => {
  return ({ className = '', children }: { className?: string; children: unknown }) =>
    createElement('pre', { className: `microlight ${className}`, tabIndex: 0 }, children);
};
// Swagger UI would refuse by its own rules what the service accepts, such as a number with blanks around it, and its
// messages say less than those of the service.
const validateParams = () => () => undefined;

/**
 * The plugin of Swagger UI: adds the notes, which screen readers read, and scrolls to them; a keyboard and screen
 * readers find each part, and no field is refused.
 */
const PAGE_PLUGIN = {
  wrapComponents: { responses, execute, JsonSchema_string, ExamplesSelect, PlainTextViewer },
  statePlugins: { spec: { wrapActions: { validateParams } } },
};

/** The functions that make the notes, and the texts that they use. */
const NOTES = { notesOf, errorNotesOf, help: { reasons: FAILURE_REASON_HELP, remedies: REMEDIES } };

/** The options of Swagger UI for the notes. */
export function responseNotes(basePath: string): Readonly<Record<string, unknown>> {
  return { plugins: [PAGE_PLUGIN], responseNotes: { ...NOTES, problems: basePath + PROBLEMS_PATH } };
}

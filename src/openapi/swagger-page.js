// Defines a plugin of Swagger UI, which `pages.ts` names in the options of the page. It is sent before the script that
// starts Swagger UI.

// `SwaggerModule` has no option for it. Without it, phones show the page in its layout for desktops.
document.head.insertAdjacentHTML('beforeend', '<meta name="viewport" content="width=device-width">');

/** What people should know of a response beside its body: what happened, what to do, and where it is explained (D88). */
function notesOf({ status = 0, headers = {}, obj = '' }, { reasons }) {
  const notes = [];
  const [level, ...members] = (headers['shipping-completeness'] ?? '').split(';');
  const { reason: about = '', dropped, limit } = Object.fromEntries(members.map((each) => each.split('=')));
  const { cause = 'The external system failed.', retry = '' } = reasons[about] ?? {};
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
    const body = Object(obj);
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
function errorNotesOf({ status = 0, obj = '' }, { reasons, remedies }) {
  const title = 'Error';
  if (status === 400 && typeof obj === 'string') {
    const text = `${obj}. Correct the number, or leave its field empty.`;
    return [{ title, text, about: 'invalid-parameters' }];
  }
  const { code, detail, reason = '' } = Object(obj);
  if (code === undefined || detail === undefined) {
    const text = 'No response of the service came. Try again after a minute.';
    return status === 0 || status >= 400 ? [{ title, text }] : [];
  }
  const remedy = reasons[reason]?.retry ?? remedies[code] ?? '';
  return [{ title, text: `${detail.replace(/\.$/, '')}. ${remedy}`, about: reason || code }];
}

/** Adds the notes above a response, which screen readers read, and scrolls to them. */
function withNotes(Responses, { React: { createElement, useMemo }, getConfigs }) {
  return (props) => {
    const { tryItOutResponse: response } = props;
    const texts = getConfigs().responseNotes;
    // They are made once for each response, because a list may be long. React calls a new function in `ref`, so that
    // those of each response scroll into view. Swagger UI makes a new object of the same response each time, but for
    // its headers.
    const lines = useMemo(() => {
      if (response === null) return undefined;
      const shown = response.toJS();
      const notes = [...notesOf(shown, texts), ...errorNotesOf(shown, texts)].map(({ title, text, about }) => {
        const link = about && createElement('a', { href: `${texts.problems}#${about}`, target: '_blank' }, about);
        const name = createElement('strong', null, title);
        return createElement('p', { key: title, className: title.toLowerCase() }, name, `: ${text} `, link);
      });
      return createElement('div', { ref: (line) => line?.scrollIntoView({ block: 'nearest' }) }, notes);
    }, [response?.get('headers')]);
    // The empty region is there from the start: screen readers only read what is added to a region that they know.
    const region = createElement('div', { role: 'status', className: 'response-notes' }, lines);
    return createElement('div', null, region, createElement(Responses, props));
  };
}

/** A button that is disabled while the response is awaited loses the focus. */
function withFocus(Execute, { React: { createElement } }) {
  return (props) => createElement(Execute, { ...props, disabled: false });
}

/** The fields of Swagger UI have no name but a placeholder, and its lists of values not even that. */
function withName(Field, { React: { createElement } }) {
  return (props) => {
    const field = createElement(Field, { ...props, description: props.schema?.getIn(['examples', 0]) });
    return createElement('label', { className: 'field' }, createElement('span', null, props.description), field);
  };
}

function withLabels(Select, { React: { createElement } }) {
  return (props) => createElement('label', null, createElement(Select, { ...props, showLabels: true }));
}

/** Boxes of text scroll, so that a keyboard has to reach them. */
function reachableText(_, { React: { createElement } }) {
  return ({ className = '', children }) =>
    createElement('pre', { className: `microlight ${className}`, tabIndex: 0 }, children);
}

/** The options of the page name it. */
const pagePlugin = {
  wrapComponents: {
    responses: withNotes,
    execute: withFocus,
    JsonSchema_string: withName,
    ExamplesSelect: withLabels,
    PlainTextViewer: reachableText,
  },
  // Swagger UI would refuse by its own rules what the service accepts, such as a number with blanks around it, and its
  // messages say less than those of the service.
  statePlugins: { spec: { wrapActions: { validateParams: () => () => undefined } } },
};

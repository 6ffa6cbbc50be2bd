/** The Swagger page: Swagger UI with a folded guide, folded details, the outcome of a request, code samples and labels. */
'use strict';

const DOCUMENT_PATH = '/openapi.json';
const SAMPLES = 'x-codeSamples';
const PROBLEM_CODES = 'x-problem-codes';
/** Server of the code samples in the document; the page shows its own origin. */
const SAMPLE_SERVER = 'http://localhost:3000';

/** Replaces components of Swagger UI. */
function pagePlugin({ React }) {
  const element = React.createElement;
  const details = (className, summary, ...content) =>
    element('details', { className }, element('summary', null, summary), ...content);

  /** Details whose content is made once they are opened. */
  function Folded({ summary, content }) {
    const [isOpen, setOpen] = React.useState(false);
    const onToggle = (event) => setOpen(event.target.open);
    return element('details', { onToggle }, element('summary', null, summary), isOpen && content());
  }

  /** The title and first paragraph, with the rest of the description folded. */
  function Info({ specSelectors, getComponent }) {
    const Markdown = getComponent('Markdown', true);
    const info = specSelectors.info();
    const [lead, ...rest] = info.get('description').split(/\n(?=## )/);
    return element(
      'header',
      { className: 'info' },
      element('h1', { className: 'title' }, info.get('title'), ' ', element('small', null, info.get('version'))),
      element('div', { className: 'lead' }, element(Markdown, { source: lead })),
      details(
        'guide',
        'Guide: requests to try, simulated failures',
        element('div', { className: 'description' }, element(Markdown, { source: rest.join('\n') })),
      ),
    );
  }

  /** The request headers folded, but for `Prefer`. */
  const parameters = (Parameters) => (props) => {
    const isFolded = (parameter) => parameter.get('in') === 'header' && parameter.get('name') !== 'Prefer';
    const folded = props.parameters.filter(isFolded);
    const names = folded.map((parameter) => parameter.get('name')).join(', ');
    return element(
      React.Fragment,
      null,
      element(Parameters, { ...props, parameters: props.parameters.filterNot(isFolded) }),
      folded.size > 0 &&
        details('request-headers', `More headers: ${names}`, element(Parameters, { ...props, parameters: folded })),
    );
  };

  /** Code samples before the responses. */
  const responses = (Responses) => (props) => {
    const samples = props.specSelectors.specJson().getIn(['paths', props.path, props.method, SAMPLES]);
    return element(React.Fragment, null, samples && element(CodeSamples, { samples }), element(Responses, props));
  };

  function CodeSamples({ samples }) {
    const figures = samples.map((sample) => {
      const label = sample.get('label');
      const source = sample.get('source').replaceAll(SAMPLE_SERVER, location.origin);
      return element('figure', { key: label }, element('figcaption', null, label), element('pre', null, source));
    });
    return details('samples', `Code: ${samples.map((sample) => sample.get('label')).join(', ')}`, figures);
  }

  /** One line for each response but success and 400. */
  const response = (Response) => (props) => {
    const { code } = props;
    if (code === '400' || code.startsWith('2')) return element(Response, props);
    const description = props.response.get('description').replaceAll('`', '');
    const content = () => element('table', null, element('tbody', null, element(Response, props)));
    const folded = element(Folded, { summary: `${code} ${description}`, content });
    return element('tr', { className: 'folded' }, element('td', { colSpan: 3 }, folded));
  };

  /** The headers of a response, folded. */
  const headers = (Headers) => (props) => {
    const names = [...props.headers.keys()];
    const content = () => element(Headers, props);
    return names.length > 0 && element(Folded, { summary: `Headers: ${names.join(', ')}`, content });
  };

  /** The outcome first, on the screen. */
  const liveResponse = (LiveResponse) => (props) => {
    const start = React.useRef(null);
    // Each change of a field makes another object of the same response.
    const id = props.response.getIn(['headers', 'x-request-id']);
    React.useEffect(() => void start.current.scrollIntoView(), [id]);
    return element('div', { ref: start }, element(Outcome, props), element(LiveResponse, props));
  };

  /** Status, completeness and ignored parameters of a response. */
  function Outcome({ response: received }) {
    const header = (name) => received.getIn(['headers', name]) ?? '';
    const [level, text] = completenessOf(header('shipping-completeness'));
    const ignored = ignoredOf(header('shipping-ignored-parameters'));
    return element(
      'p',
      { className: 'outcome', role: 'status' },
      element('b', null, received.get('status')),
      level && element('span', { className: `badge ${level}` }, text),
      ignored && element('span', { className: 'badge ignored' }, `ignored: ${ignored}`),
    );
  }

  /** The problem codes with links to their pages, instead of the extensions. */
  function OperationExt({ extensions }) {
    const codes = extensions.get(PROBLEM_CODES)?.toJS() ?? [];
    const links = codes.map((code) => element('a', { key: code, href: `/problems/${code}` }, code));
    return element('p', { className: 'codes' }, 'Problem codes: ', links);
  }

  /** Text: Swagger UI puts a link into a button. */
  const Text = ({ text }) => element('span', null, text);

  /** A response is not shown below a request that the page refuses. */
  const validateParams =
    (validate, { specActions }) =>
    (pathMethod) => {
      specActions.clearResponse(...pathMethod);
      return validate(pathMethod);
    };

  return {
    statePlugins: { spec: { wrapActions: { validateParams } } },
    wrapComponents: {
      InfoContainer: () => Info,
      DeepLink: () => Text,
      OperationExt: () => OperationExt,
      parameters,
      responses,
      response,
      headers,
      liveResponse,
    },
  };
}

/** The level of `Shipping-Completeness`, and the header as a person says it. */
function completenessOf(header) {
  const [level, ...parts] = header.split(';');
  const { reason, dropped, limit, 'retry-after': seconds } = Object.fromEntries(parts.map((part) => part.split('=')));
  const details = [
    dropped ? `${dropped} dropped` : reason,
    limit && `as many records as the limit, ${limit}`,
    seconds && `try again in ${seconds} s`,
  ];
  const text = details.filter(Boolean).join(', ');
  return [level, text === '' ? level : `${level}: ${text}`];
}

/** `Shipping-Ignored-Parameters` as a person says it. */
function ignoredOf(header) {
  const names = header.matchAll(/"((?:[^"\\]|\\.)*)"(?:;([\w-]+)(?:="([^"]*)")?)?/g);
  const said = { value: () => ' (value)', of: (text) => ` (of ${text})`, 'did-you-mean': (text) => ` (${text}?)` };
  return Array.from(names, ([, name, hint, text]) => name.replaceAll('\\', '') + (said[hint]?.(text) ?? '')).join(', ');
}

/** The operation that serves a path, with the values of its path parameters. */
function operationAt(spec, pathname) {
  for (const [path, { get }] of Object.entries(spec.paths)) {
    const pattern = path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`, 'i').exec(pathname);
    if (match !== null && get !== undefined) return { ...get, values: { ...match.groups } };
  }
  return undefined;
}

/** Resolves with the element that a selector finds, once there is one. */
function appeared(root, selector) {
  return new Promise((resolve) => {
    const observer = new MutationObserver(look);
    observer.observe(root, { childList: true, subtree: true });
    look();
    function look() {
      const found = root.querySelector(selector);
      if (found === null) return;
      observer.disconnect();
      resolve(found);
    }
  });
}

/** Opens an operation and returns its block. */
function openOperation(ui, tag, operationId) {
  ui.layoutActions.show(['operations', tag, operationId], true);
  const block = document.getElementById(`operations-${tag}-${operationId}`);
  block.scrollIntoView();
  block.querySelector('.opblock-summary-control').focus({ preventScroll: true });
  return block;
}

/** Sets a field as typing does; Swagger UI takes the value over when the field loses focus. */
function fill(field, value) {
  const { prototype } = field instanceof HTMLSelectElement ? HTMLSelectElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(prototype, 'value').set.call(field, value);
  for (const type of ['input', 'change', 'focusout']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

/** The fields of parameters, without the lists that only offer examples. */
const FIELDS = 'tr[data-param-name] :is(input, select):not(.examples-select-element)';

/** Opens the operation of a link, fills its parameters in, clears the others, and executes it. */
async function tryLink(ui, { tags, operationId, values }, query) {
  const block = openOperation(ui, tags[0], operationId);
  // Swagger UI shows the button before the operation can be executed; its parameters come last.
  await appeared(block, 'tr[data-param-name]');
  const given = { ...values, ...Object.fromEntries(query) };
  for (const field of block.querySelectorAll(FIELDS)) {
    fill(field, given[field.closest('tr').dataset.paramName] ?? '');
  }
  block.querySelector('.btn-clear')?.click();
  block.querySelector('.execute').click();
}

/** Links of the guide stay in the page. */
function followLinks(ui, spec) {
  document.addEventListener('click', (event) => {
    const link = event.target.closest('.info a[href]');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const href = link.getAttribute('href');
    const { pathname, searchParams } = new URL(href, location.href);
    const [, tag, operationId] = /^#\/([^/]+)\/([^/]+)$/.exec(href) ?? [];
    const operation = href.startsWith('/') ? operationAt(spec, pathname) : undefined;
    if (operationId === undefined && operation === undefined) return;
    event.preventDefault();
    if (operationId !== undefined) openOperation(ui, tag, operationId);
    else tryLink(ui, operation, searchParams);
  });
}

/** Names what Swagger UI leaves without a name, and makes scrolling content reachable by keyboard. */
function label(root) {
  for (const field of root.querySelectorAll('tr[data-param-name] :is(input, select, textarea):not([aria-label])')) {
    field.setAttribute('aria-label', field.closest('tr').dataset.paramName);
  }
  for (const select of root.querySelectorAll('.examples-select-element:not([aria-label])'))
    select.ariaLabel = 'Example';
  for (const code of root.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
}

async function start() {
  const root = document.getElementById('swagger-ui');
  const response = await fetch(DOCUMENT_PATH);
  // Swagger UI shows the bound of safe integers in full.
  const isUnbounded = (name, value) => name === 'maximum' && value === Number.MAX_SAFE_INTEGER;
  const spec = JSON.parse(await response.text(), (name, value) => (isUnbounded(name, value) ? undefined : value));
  new MutationObserver(() => label(root)).observe(root, { childList: true, subtree: true });
  const ui = globalThis.SwaggerUIBundle({
    spec,
    domNode: root,
    presets: [globalThis.SwaggerUIBundle.presets.apis],
    plugins: [pagePlugin],
    tryItOutEnabled: true,
    displayRequestDuration: true,
    deepLinking: true,
    docExpansion: 'list',
    showExtensions: true,
    // The schemas are folded at the end.
    defaultModelsExpandDepth: 0,
    // No external validator.
    validatorUrl: null,
    // Swagger UI shows every response that is not `ok` as an error; 304 is none.
    responseInterceptor: (received) => (received.status === 304 ? Object.assign(received, { ok: true }) : received),
  });
  followLinks(ui, spec);
}

void start();

/** The Swagger page: Swagger UI with a folded guide, folded rare errors, code samples, links that are tried, and labels. */
'use strict';

const DOCUMENT_PATH = '/openapi.json';
const SAMPLES = 'x-codeSamples';
/** Server of the code samples in the document; the page shows its own origin. */
const SAMPLE_SERVER = 'http://localhost:3000';
/** Errors that clients rarely see. */
const RARE = new Set(['405', '408', '417', '431']);

/** Replaces components of Swagger UI. */
function pagePlugin({ React }) {
  const element = React.createElement;

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
      element(
        'details',
        { className: 'guide' },
        element('summary', null, 'Guide: requests to try, simulated failures'),
        element('div', { className: 'description' }, element(Markdown, { source: rest.join('\n') })),
      ),
    );
  }

  /** Code samples, the responses, and the rare errors folded. */
  const responses = (Responses) => (props) => {
    const rare = props.responses.filter((_, status) => RARE.has(status));
    const samples = props.specSelectors.specJson().getIn(['paths', props.path, props.method, SAMPLES]);
    return element(
      React.Fragment,
      null,
      samples && element(CodeSamples, { samples }),
      element(Responses, { ...props, responses: props.responses.filterNot((_, status) => RARE.has(status)) }),
      rare.size > 0 && element(RareErrors, { rare, Markdown: props.getComponent('Markdown', true) }),
    );
  };

  function RareErrors({ rare, Markdown }) {
    return element(
      'details',
      { className: 'rare' },
      element('summary', null, `Rare errors: ${[...rare.keys()].join(', ')}`),
      element(
        'dl',
        null,
        [...rare].map(([status, response]) => [
          element('dt', { key: status }, status),
          element('dd', { key: `${status} means` }, element(Markdown, { source: response.get('description') })),
        ]),
      ),
    );
  }

  function CodeSamples({ samples }) {
    const figures = samples.map((sample) => {
      const label = sample.get('label');
      const source = sample.get('source').replaceAll(SAMPLE_SERVER, location.origin);
      return element('figure', { key: label }, element('figcaption', null, label), element('pre', null, source));
    });
    const labels = samples.map((sample) => sample.get('label')).join(', ');
    return element('details', { className: 'samples' }, element('summary', null, `Code: ${labels}`), figures);
  }

  /** Extensions without the code samples. */
  const OperationExt = (Original) => (props) =>
    element(Original, { ...props, extensions: props.extensions.delete(SAMPLES) });

  /** Text: Swagger UI puts a link into a button. */
  const Text = ({ text }) => element('span', null, text);

  return { wrapComponents: { InfoContainer: () => Info, DeepLink: () => Text, responses, OperationExt } };
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
  (await appeared(block, '.live-responses-table')).scrollIntoView();
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
  const spec = await response.json();
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

import { MAX_IGNORED_LISTED } from '../../src/http/parameters/query-parameters.pipe';
import { EXAMPLE_REQUEST_ID } from '../../src/http/problems/problem-definitions';
import { MAX_LINK_LENGTH } from '../../src/shipping/http/result-headers';
import { PAGE_NUMBER, PAGE_SIZE } from '../../src/shipping/model/parameter-rules';
import { SHIPPING_STATUSES, STATUS_WORDS } from '../../src/shipping/model/shipping-status';
import { read } from '../support/read';

const quoted = (text: string): string => `\`${text}\``;
/** Why the guards refuse a client. */
const CAUSES = ['token-verifier', 'authentication.guard'].flatMap((name) =>
  [...read(`src/access/${name}.ts`).matchAll(/(?:cause|[A-Z_]{9,}|\b[a-z]{3}): '([\w ]+)'/g)].map(
    ([, cause = '']) => cause,
  ),
);
const STATUSES = SHIPPING_STATUSES.map(quoted);

/** Values of the code that pages and the example of a grid repeat. */
describe.each([
  ['docs/contract.md', [...STATUSES, quoted(PAGE_NUMBER.message), quoted(PAGE_SIZE.message)]],
  ['docs/contract.md', [`by name: ${SHIPPING_STATUSES.toSorted().join(', ')}`]],
  ['docs/alerts.md', CAUSES.map(quoted)],
  ['docs/consumers.md', [quoted(PAGE_SIZE.message)]],
  ['docs/connecting.md', [...STATUS_WORDS.keys()].map(quoted)],
  [
    'src/shipping/documentation/headers.json',
    [`at most ${MAX_IGNORED_LISTED}:`, EXAMPLE_REQUEST_ID, `"maxLength": ${MAX_LINK_LENGTH}`],
  ],
  ['examples/grid/index.html', SHIPPING_STATUSES.map((status) => `<option>${status}</option>`)],
])('%s', (path, values) => {
  const text = read(path);
  it.each(values)('has %s', (value) => {
    expect(text.includes(value)).toBe(true);
  });
});

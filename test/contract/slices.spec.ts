import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { ROOT } from '../support/read';

const QUERIES = join(ROOT, 'src/shipping/queries');

/** The names of the operations of all slices, found by their files: a new query needs no entry here. */
const NAMES = readdirSync(QUERIES)
  .filter((slice) => existsSync(join(QUERIES, slice, `${slice}.query.ts`)))
  .map((slice) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- the files are found at run time
    const { requestOf } = require(join(QUERIES, slice, `${slice}.query`)) as {
      requestOf: (params: object) => UpstreamRequest;
    };
    return requestOf({}).operation.name;
  });

it('D33 each operation has a name, and so a circuit, of its own', () => {
  expect(new Set(NAMES).size).toBe(NAMES.length);
  expect(NAMES.length).toBeGreaterThanOrEqual(4);
});

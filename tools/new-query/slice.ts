import { CannotGenerateError, namesOf, type QueryNames } from './names';

/** What a query returns: one record, a list, or a page. */
export type Kind = 'single' | 'list' | 'page';

/** The existing query that a new one starts as a copy of. */
export const RELATIVES: Readonly<Record<Kind, QueryNames>> = {
  single: namesOf('GetShippingSingle'),
  list: namesOf('GetShippingDetails'),
  page: namesOf('GetShippingPagedList'),
};

/** The upstream operation of a relative: what `externalPath` and `operation` of its spec say. */
const UPSTREAM: Readonly<Record<Kind, string>> = { single: 'single', list: 'details', page: 'paged' };

const COPIED = ['query', 'handler', 'handler.spec'];

/**
 * The files of a slice by role, such as `handler`; not yet formatted.
 *
 * @param readRelative the text of a file of the existing query
 * @throws {CannotGenerateError} where such a file does not look as expected
 */
export function sliceFiles(names: QueryNames, kind: Kind, readRelative: (role: string) => string): [string, string][] {
  return [
    ...COPIED.map((role): [string, string] => [role, copyOf(readRelative(role), names, kind)]),
    ['e2e.spec', e2eSpec(names, kind)],
  ];
}

/** The sandbox has a route for the upstream operation of each relative. */
export function upstreamNameOf(kind: Kind): string {
  return UPSTREAM[kind];
}

/** Replaces the names of the relative. */
export function renamed(text: string, names: QueryNames, relative: QueryNames): string {
  return (['pascal', 'camel', 'kebab', 'request'] as const).reduce(
    (current, form) => current.replaceAll(new RegExp(`(?<![A-Za-z-])${relative[form]}(?![a-z])`, 'g'), names[form]),
    text,
  );
}

/** Replaces the names, and name and path of the upstream operation. */
function copyOf(text: string, names: QueryNames, kind: Kind): string {
  const { external } = names;
  const operation = /\w+(: UpstreamOperation = \{\s*name: )'[^']+',\s*path: \(\{ \w+ \}\) => \w+/;
  const [constant] = /\w+(?=: UpstreamOperation)/.exec(text) ?? [];
  if (constant !== undefined && !operation.test(text)) {
    throw new CannotGenerateError(
      `The upstream operation of ${RELATIVES[kind].pascal} has no name followed by a path.`,
    );
  }
  return renamed(text, names, RELATIVES[kind])
    .replace(
      operation,
      (_, rest: string) => `${names.constant}${rest}'${external}', path: () => '/shippings/${external}'`,
    )
    .replaceAll(new RegExp(`(?<=operation: )${String(constant)}\\b`, 'g'), names.constant)
    .replaceAll(new RegExp(`'${UPSTREAM[kind]}'`, 'g'), `'${external}'`)
    .replaceAll(`'/shippings/${UPSTREAM[kind]}'`, `'/shippings/${external}'`);
}

/** A spec of the operation over HTTP, on a scripted external system. */
function e2eSpec({ pascal, external }: QueryNames, kind: Kind): string {
  const isSingle = kind === 'single';
  const [title, failure] = isSingle
    ? ['fails', "expectProblem(await scripted.service.request(OPERATION.request), 500, 'external-system-failed')"]
    : ['is empty', "expectUnavailable(OPERATION, await scripted.service.request(OPERATION.request), 'upstream-error')"];
  const paging = kind === 'page' ? '&PageNumber=3&PageSize=7' : '';
  const more = isSingle ? '' : ', expectUnavailable';
  return `import { expectAnswer, expectBadInput, expectProblem${more} } from '../../../../test/support/expectations';
import { sentParameters, STRICT, type Operation } from '../../../../test/support/operations';
import { useScriptedService } from '../../../../test/support/service';
import { status } from '../../../../test/support/upstream/responses';

const OPERATION: Operation = {
  name: '${pascal}',
  request: '${pascal}?OrderId=ORD-1001${paging}',
  externalPath: '/shippings/${external}',
  single: ${String(isSingle)},
  body: '${isSingle ? 'record' : kind}',
};

describe('${pascal}', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('sends its parameters to the external system and responds with the result', async () => {
    expectAnswer(OPERATION, await scripted.service.request(OPERATION.request), 'complete');
    expect(sentParameters(scripted.upstream)).toContainEqual(['OrderId', 'ORD-1001']);
    expect(scripted.upstream.calls[0]?.path).toBe(OPERATION.externalPath);
  });

  it('rejects invalid parameters without a call', async () => {
    expectBadInput(await scripted.service.request('${pascal}?OrderId=ORD-1001&FromDate=x'), 'FromDate');
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('${title} where the external system fails', async () => {
    scripted.upstream.respondWith(status(500));
    ${failure};
  });

  it('fails for strict clients where the external system fails', async () => {
    scripted.upstream.respondWith(status(500));
    expectProblem(await scripted.service.request(OPERATION.request, STRICT), 502, 'external-system-failed');
  });
});
`;
}

import type { QueryNames } from './names';
import type { Kind } from './slice';

/** A spec of the handler over a stubbed gateway. */
export function handlerSpec(names: QueryNames, kind: Kind): string {
  return kind === 'single' ? lookupSpec(names) : listSpec(names);
}

function lookupSpec({ pascal, kebab, external }: QueryNames): string {
  return `import { describeLookup } from '../../../../test/support/handlers';
import { ${pascal}Handler } from './${kebab}.handler';
import { ${pascal}Query } from './${kebab}.query';

const PARAMS = { OrderId: 'ORD-1' };

describe('${pascal}Handler', () => {
  describeLookup({ result: 'record', operation: '${external}', parameters: PARAMS }, (gateway, context) =>
    new ${pascal}Handler(gateway).execute(new ${pascal}Query(PARAMS, context)),
  );
});
`;
}

function listSpec({ pascal, kebab, external }: QueryNames): string {
  return `import { describeList } from '../../../../test/support/handlers';
import { ${pascal}Handler } from './${kebab}.handler';
import { ${pascal}Query } from './${kebab}.query';

const PARAMS = { OrderId: 'ORD-1', Limit: 3 };

describe('${pascal}Handler', () => {
  describeList({
    expected: { result: 'list', operation: '${external}', parameters: PARAMS },
    emptyBody: [],
    query: (context) => new ${pascal}Query(PARAMS, context),
    handler: (gateway) => new ${pascal}Handler(gateway, { maxLimit: 3 }),
  });
});
`;
}

/** The contract of the upstream request. */
export function requestSpec({ pascal, kebab, request, external }: QueryNames): string {
  return `import { describeGatewayContract } from '../../../../test/support/gateway-contract';
import { ${pascal}Query } from './${kebab}.query';
import { ${request} } from './${kebab}.request';

describeGatewayContract({
  params: (OrderId) => ({ OrderId }),
  request: ${request},
  query: ${pascal}Query,
  externalPath: '/shippings/${external}',
  textParameter: 'OrderId',
});
`;
}

/** A spec of the operation over HTTP, on a scripted external system. */
export function e2eSpec({ pascal, external }: QueryNames, kind: Kind): string {
  const single = kind === 'single';
  const [invalid, parameter] = single ? ['', 'Id'] : ['?Limit=0', 'Limit'];
  const [title, expectation] = single
    ? ['fails', "expectProblem(await scripted.service.request(OPERATION.request), 500, 'external-system-failed');"]
    : [
        'is empty',
        "expectUnavailable(OPERATION, await scripted.service.request(OPERATION.request), 'upstream-error');",
      ];
  const list = single ? '' : ', expectUnavailable';
  return `import { expectAnswer, expectBadInput, expectProblem${list} } from '../../../../test/support/expectations';
import { parameters, sentParameters, STRICT, type Operation } from '../../../../test/support/operations';
import { useScriptedService } from '../../../../test/support/service';
import { status } from '../../../../test/support/upstream/responses';

const OPERATION: Operation = {
  name: '${pascal}',
  request: '${pascal}?OrderId=ORD-1001',
  externalPath: '/shippings/${external}',
  single: ${String(single)},
  body: '${single ? 'record' : 'list'}',
};

${e2eTests(pascal, title, expectation, `'${pascal}${invalid}'`, `'${parameter}'`)}`;
}

function e2eTests(pascal: string, title: string, expectation: string, invalid: string, parameter: string): string {
  return `describe('${pascal}', () => {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });

  it('sends its parameters to the external system and responds with the result', async () => {
    expectAnswer(OPERATION, await scripted.service.request(OPERATION.request), 'complete');
    expect(sentParameters(scripted.upstream)).toEqual(parameters({ OrderId: 'ORD-1001' }));
    expect(scripted.upstream.calls[0]?.path).toBe(OPERATION.externalPath);
  });

  it('rejects invalid parameters without a call', async () => {
    expectBadInput(await scripted.service.request(${invalid}), ${parameter});
    expect(scripted.upstream.calls).toEqual([]);
  });

  it('${title} where the external system fails', async () => {
    scripted.upstream.respondWith(status(500));
    ${expectation}
  });

  it('fails for strict clients where the external system fails', async () => {
    scripted.upstream.respondWith(status(500));
    expectProblem(await scripted.service.request(OPERATION.request, STRICT), 502, 'external-system-failed');
  });
});
`;
}

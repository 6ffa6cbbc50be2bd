import { join } from 'node:path';
import type { Checks } from '../../measure/checks';
import { ServerProcess } from '../../measure/server-process';
import { namesOf } from './names';

/** The names of the generated queries, and the recipe with requests to them. */
export interface Generated {
  readonly single: string;
  readonly list: string;
  readonly page: string;
  readonly recipe: string;
}

/** Starts the built service on its embedded sandbox, and sends requests to the generated operations. */
export async function checkRunning(
  checks: Checks,
  root: string,
  { single, list, page, recipe }: Generated,
): Promise<void> {
  const service = await ServerProcess.start({
    name: 'generated',
    entry: [process.execPath, join(root, 'dist/main.js')],
    env: { NODE_ENV: 'development', SANDBOX_RECORDS: '50' },
    readyAt: '/health/ready',
  });
  const { url } = service;
  try {
    for (const [request, headers, ...expected] of requests(single, list, page)) {
      const response = await fetch(`${url}/api/Shipping/${request}`, { headers });
      const completeness = response.headers.get('shipping-completeness');
      const actual = [response.status, completeness, await response.text()] as const;
      const [status, level, part] = expected;
      const holds = actual[0] === status && actual[1] === level && actual[2].includes(part);
      checks.expect(`${request} responds with ${status}`, holds, actual.join(' '));
    }
    for (const [, path = ''] of recipe.matchAll(/^curl -si 'localhost:3000([^']+)'/gm)) {
      const { status } = await fetch(`${url}${path}`);
      checks.expect(`the recipe's ${path} responds`, [200, 500].includes(status), String(status));
    }
    const metrics = await (await fetch(`${url}/metrics`)).text();
    for (const name of [single, list, page]) {
      const labels = [`route="/api/Shipping/${name}"`, `operation="${namesOf(name).external}"`];
      for (const label of labels) checks.expect(`the metrics have ${label}`, metrics.includes(label), metrics);
    }
  } finally {
    await service.stop();
  }
}

type Request = [
  path: string,
  headers: Record<string, string>,
  status: number,
  completeness: string | null,
  part: string,
];

function requests(single: string, list: string, page: string): Request[] {
  const strict = { Prefer: 'handling=strict' };
  const partial = 'partial;reason=bad-reply';
  return [
    [`${single}?OrderId=ORD-000001`, {}, 200, 'complete', '"orderId":"ORD-000001"'],
    [`${single}?Id=SHP-999999`, {}, 404, null, 'shipping-not-found'],
    [single, {}, 400, null, '"parameter":"Id"'],
    [`${single}?Id=..&OrderId=ORD-000001`, {}, 400, null, 'is not a valid shipping identifier'],
    [`${single}?OrderId=SIMULATE-500`, {}, 500, null, 'external-system-failed'],
    [`${single}?OrderId=SIMULATE-ODD-RECORD`, {}, 200, partial, '"id"'],
    [`${list}?OrderId=ORD-000001`, {}, 200, 'complete', '"orderId":"ORD-000001"'],
    [`${list}?Limit=0`, {}, 400, null, '"parameter":"Limit"'],
    [`${list}?OrderId=SIMULATE-500`, {}, 200, 'unavailable;reason=upstream-error', '[]'],
    [`${list}?SearchTerm=SIMULATE-ODD-RECORD`, {}, 200, `${partial};dropped=1`, '"id"'],
    [`${list}?OrderId=SIMULATE-500`, strict, 502, null, 'upstream-error'],
    [`${page}?OrderId=ORD-000001`, {}, 200, 'complete', '"totalCount":2'],
    [`${page}?PageSize=0`, {}, 400, null, 'Page size must be between 1 and 100'],
    [`${page}?OrderId=SIMULATE-500`, {}, 200, 'unavailable;reason=upstream-error', '"items":[]'],
  ];
}

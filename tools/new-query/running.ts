import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import type { Checks } from './checks';

const START_MS = 60_000;

/** The names of the two new operations, and the page that tells how to ask them. */
export interface Made {
  readonly single: string;
  readonly list: string;
  readonly recipe: string;
}

/** Asks the two new operations of a running service, on its embedded sandbox, and ends it. */
export async function describeRunning(
  checks: Checks,
  service: ChildProcessWithoutNullStreams,
  { single, list, recipe }: Made,
): Promise<void> {
  const ended = once(service, 'exit');
  try {
    const address = await addressOf(service);
    const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${address}${path}`, { headers });
    await askOperations(checks, (operation, headers) => get(`/api/Shipping/${operation}`, headers), single, list);
    for (const [, path = ''] of recipe.matchAll(/^curl -si 'localhost:3000([^']+)'/gm)) {
      const { status } = await get(path);
      checks.add(`the recipe's ${path} is answered`, [200, 500].includes(status), String(status));
    }
    const document = await (await get('/openapi.json')).text();
    const metrics = await (await get('/metrics')).text();
    for (const name of [single, list]) {
      checks.add(`${name} is documented`, document.includes(`"/api/Shipping/${name}"`));
      checks.add(`${name} is measured`, metrics.includes(`shipping_query_duration_seconds_count{query="${name}Query"`));
    }
  } finally {
    service.kill('SIGTERM');
    await ended;
  }
}

type Ask = (operation: string, headers?: Record<string, string>) => Promise<Response>;

async function askOperations(checks: Checks, ask: Ask, single: string, list: string): Promise<void> {
  const strict = { Prefer: 'handling=strict' };
  const expect = async (
    what: string,
    answer: Promise<Response>,
    status: number,
    completeness: string | null,
    part: string,
  ): Promise<void> => {
    // prettier-ignore
    const { status: told, headers, text } = await answer.then(async (got) => ({ status: got.status, headers: got.headers, text: await got.text() })); // prettier-ignore
    const holds = told === status && headers.get('shipping-completeness') === completeness && text.includes(part);
    checks.add(what, holds, `${told} ${String(headers.get('shipping-completeness'))} ${text}`);
  };
  await expect(`${single} answers from the sandbox`, ask(`${single}?OrderId=ORD-000001`), 200, 'complete', '"orderId":"ORD-000001"'); // prettier-ignore
  await expect(`${single} finds nothing`, ask(`${single}?Id=SHP-999999`), 404, null, 'shipping-not-found');
  await expect(`${single} keeps its rule`, ask(single), 400, null, '"parameter":"Id"');
  await expect(`${single} fails`, ask(`${single}?OrderId=SIMULATE-500`), 500, null, 'external-system-failed');
  await expect(`${single} tells of an odd record`, ask(`${single}?OrderId=SIMULATE-ODD-RECORD`), 200, 'partial;reason=bad-reply', '"id"'); // prettier-ignore
  await expect(`${list} answers from the sandbox`, ask(`${list}?OrderId=ORD-000001`), 200, 'complete', '"orderId":"ORD-000001"'); // prettier-ignore
  await expect(`${list} keeps its rule`, ask(`${list}?Limit=0`), 400, null, '"parameter":"Limit"');
  await expect(`${list} degrades`, ask(`${list}?OrderId=SIMULATE-500`), 200, 'unavailable;reason=upstream-error', '[]');
  await expect(`${list} tells of odd records`, ask(`${list}?SearchTerm=SIMULATE-ODD-RECORD`), 200, 'partial;reason=bad-reply', '"id"'); // prettier-ignore
  await expect(`${list} fails for strict callers`, ask(`${list}?OrderId=SIMULATE-500`, strict), 502, null, 'upstream-error'); // prettier-ignore
}

/** Where it listens, from its log. */
function addressOf(service: ChildProcessWithoutNullStreams): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const timer = setTimeout(() => {
      reject(new Error(`It did not start: ${output}`));
    }, START_MS);
    const look = (text: Buffer): void => {
      output += text.toString();
      const [, address] = /"address":"([^"]+)"/.exec(output) ?? [];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    };
    service.stdout.on('data', look);
    service.stderr.on('data', look);
  });
}

import type { Route } from '../../openapi/route-docs';

/** A member of `x-codeSamples`, an extension that documentation tools show. */
interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Where `npm start` serves; the Swagger page shows its own origin. */
const SERVER = 'http://localhost:3000';

/**
 * Samples of a request for curl, fetch and the typed client, whose methods have the names of the operations.
 *
 * @param request a query, or the value of the path parameter
 * @param target path and query of the same request
 */
export function codeSamples(route: Route, request: string, target: string): readonly CodeSample[] {
  const url = `${SERVER}${target}`;
  return [
    { lang: 'Shell', label: 'curl', source: `curl -i '${url}'` },
    {
      lang: 'JavaScript',
      label: 'fetch',
      source: `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
console.log(response.headers.get('Shipping-Completeness'), await response.json());`,
    },
    {
      lang: 'TypeScript',
      label: 'Typed client',
      source: `import { ShippingClient } from 'shipping-query-client';

const client = new ShippingClient({ baseUrl: '${SERVER}' });
const { data, completeness } = await client.${route.operationId}(${argumentOf(route, request)});
console.log(completeness.level, data);`,
    },
  ];
}

function argumentOf({ parameters }: Route, request: string): string {
  if (!request.startsWith('?')) return `'${request}'`;
  const criteria = [...new URLSearchParams(request)].map(([name, value]) => {
    const schema = parameters.find((parameter) => 'name' in parameter && parameter.name === name);
    const isInteger = JSON.stringify(schema).includes('"type":"integer"');
    return `${name}: ${isInteger ? value : `'${value}'`}`;
  });
  return `{ ${criteria.join(', ')} }`;
}

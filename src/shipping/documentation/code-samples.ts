import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** A member of `x-codeSamples`, an extension that documentation tools show. */
interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Where `npm start` serves; the Swagger page shows its own origin. */
const SERVER = 'http://localhost:3000';

/**
 * Adds samples for curl, fetch and the typed client to each operation. They send the request of its `complete` example,
 * with which the summary of the example begins; operations without one get none.
 */
export function addCodeSamples(document: OpenAPIObject): OpenAPIObject {
  for (const [path, { get }] of Object.entries(document.paths)) {
    const request = get === undefined ? undefined : exampleRequest(get);
    if (get !== undefined && request !== undefined)
      Object.assign(get, { 'x-codeSamples': samplesOf(path, get, request) });
  }
  return document;
}

function exampleRequest({ responses }: Operation): string | undefined {
  const success = responses[200];
  const content = success !== undefined && 'content' in success ? success.content : undefined;
  const example = content?.['application/json']?.examples?.complete;
  return example !== undefined && 'summary' in example ? example.summary?.split(' ')[0] : undefined;
}

function samplesOf(path: string, operation: Operation, request: string): readonly CodeSample[] {
  const target = request.startsWith('?') ? `${path}${request}` : path.replace(/\{\w+\}/, request);
  const url = `${SERVER}${target}`;
  return [
    { lang: 'Shell', label: 'curl', source: `curl -i '${url}'` },
    { lang: 'JavaScript', label: 'fetch', source: fetchSample(url) },
    { lang: 'TypeScript', label: 'Typed client', source: clientSample(operation, request) },
  ];
}

function fetchSample(url: string): string {
  return `const response = await fetch('${url}');
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);
console.log(response.headers.get('Shipping-Completeness'), await response.json());`;
}

/** The methods of the client have the names of the operations. */
function clientSample(operation: Operation, request: string): string {
  const criteria = [...new URLSearchParams(request)].map(([name, value]) => {
    return `${name}: ${isInteger(operation, name) ? value : `'${value}'`}`;
  });
  const given = request.startsWith('?') ? `{ ${criteria.join(', ')} }` : `'${request}'`;
  return `import { ShippingClient } from 'shipping-query-client';

const client = new ShippingClient({ baseUrl: '${SERVER}' });
const { data, completeness } = await client.${operation.operationId ?? ''}(${given});
console.log(completeness.level, data);`;
}

function isInteger({ parameters = [] }: Operation, name: string): boolean {
  const parameter = parameters.find((known) => 'name' in known && known.name === name);
  const schema = parameter !== undefined && 'schema' in parameter ? parameter.schema : undefined;
  return schema !== undefined && 'type' in schema && schema.type === 'integer';
}

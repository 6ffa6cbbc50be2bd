import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { assertDescribed } from './described-response';

/** A response with its complete body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as it was received, with its content coding. */
  readonly bytes: Buffer;
  /** The body, parsed; throws where it is not JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- what a test reads from a response is its assertion
  json(): any;
}

export interface HttpOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string;
  readonly agent?: Agent;
  readonly signal?: AbortSignal;
  /**
   * The response comes from a gateway in front of the service, so that it is not compared with the OpenAPI document.
   */
  readonly notOurs?: boolean;
}

/**
 * Sends a request. The path is sent exactly as it is given; `fetch` would normalise and encode it. Rejects where the
 * OpenAPI document does not describe the response.
 */
export async function send(origin: string, path: string, options: HttpOptions = {}): Promise<HttpResponse> {
  const { status, headers, bytes } = await exchange(origin, path, options);
  const { method = 'GET', notOurs = false } = options;
  if (!notOurs) assertDescribed(method, path, { status, headers, body: decoded({ headers, bytes }) });
  const body = bytes.toString('utf8');
  return { status, headers, body, bytes, json: () => JSON.parse(body) as unknown };
}

/** The value of a metric of the service at this address; `name` includes the labels that it has. */
export async function metricOf(origin: string, name: string): Promise<number> {
  const lines = (await send(origin, '/metrics')).body.split('\n');
  return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
}

type WireResponse = Pick<HttpResponse, 'status' | 'headers' | 'bytes'>;

function exchange(origin: string, path: string, options: HttpOptions): Promise<WireResponse> {
  const { hostname, port } = new URL(origin);
  const { method = 'GET', headers = {}, agent, signal } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method, headers, agent: agent ?? false, signal }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, bytes: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(options.body);
  });
}

/** The body without its content coding; `undefined` where the coding is unknown. */
export function decoded({ headers, bytes }: Pick<WireResponse, 'headers' | 'bytes'>): string | undefined {
  const coding = headers['content-encoding'];
  if (coding === undefined || bytes.length === 0) return bytes.toString('utf8');
  return coding === 'gzip' ? gunzipSync(bytes).toString('utf8') : undefined;
}

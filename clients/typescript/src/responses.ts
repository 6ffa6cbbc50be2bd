import { type Completeness, parseCompleteness } from './completeness.ts';
import { type ResponseFacts, ShippingProblem, UnexpectedAnswer } from './errors.ts';
import type { Problem } from './generated/types.gen.ts';
import { parseIgnoredParameters } from './ignored-parameters.ts';
import { retryAfterMs } from './retries.ts';

/** What a response says about its body, read from its headers. */
interface ResponseFields {
  readonly completeness: Completeness;
  /** `X-Request-Id`, to find the request in the logs of the service. */
  readonly requestId: string | undefined;
  /** `ETag`, which only complete responses have; pass it as `ifNoneMatch` of a later call. */
  readonly etag: string | undefined;
  /** `Age` of data that come from the cache of the service, in milliseconds, such as those of `stale` responses. */
  readonly ageMs: number | undefined;
  /** Names of parameters without effect, at most ten: unknown ones, and sorting by an unknown key or direction. */
  readonly ignoredParameters: readonly string[];
}

/** A result with its body. */
export interface Answer<Data> extends ResponseFields {
  readonly notModified: false;
  readonly data: Data;
}

/** A 304: the data have not changed since the result whose `ETag` was passed as `ifNoneMatch`. */
export interface NotModified extends ResponseFields {
  readonly notModified: true;
  readonly data?: undefined;
}

/** A response of `fetch` with its body. */
export interface RawResponse {
  readonly response: Response;
  readonly text: string;
}

/** Whether a body has the fields that this client reads, with the documented types. */
export type ShapeCheck = (body: unknown) => boolean;

/**
 * The two errors that the service sends as plain text, not as JSON. The group is there where the page number is
 * invalid.
 */
const PLAIN_MESSAGES = /^Page (?:(number) must be greater than 0|size must be between 1 and [0-9]+)$/;

/**
 * Makes a result from a response.
 *
 * @param conditional whether the request had `If-None-Match`: only then is a 304 expected
 * @throws ShippingProblem for an error of the service
 * @throws UnexpectedAnswer for any other response, as from a proxy, or with a body of another shape than documented
 */
export function readResponse<Data>(
  raw: RawResponse,
  hasShape: ShapeCheck,
  conditional: boolean,
): Answer<Data> | NotModified {
  const { response } = raw;
  const notModified = response.status === 304 && conditional;
  if (response.status !== 200 && !notModified) throw readError(raw);
  const { headers } = response;
  const completeness = parseCompleteness(headers.get('Shipping-Completeness'));
  if (completeness === undefined) throw unexpected(response, 'does not say how complete it is');
  const age = /^[0-9]+$/.exec(headers.get('Age') ?? '');
  const common = {
    completeness,
    requestId: requestIdOf(response),
    etag: headers.get('ETag') ?? undefined,
    ageMs: age === null ? undefined : Number(age[0]) * 1000,
    ignoredParameters: parseIgnoredParameters(headers.get('Shipping-Ignored-Parameters')),
  };
  if (notModified) return { notModified, ...common };
  const data = parseJson(raw.text);
  if (!hasShape(data)) throw unexpected(response, 'is damaged, or of another shape than documented');
  return { notModified: false, data: data as Data, ...common };
}

function unexpected(response: Response, complaint: string): UnexpectedAnswer {
  return new UnexpectedAnswer(`The response with status ${response.status} ${complaint}`, factsOf(response));
}

function readError({ response, text }: RawResponse): ShippingProblem | UnexpectedAnswer {
  const contentType = response.headers.get('Content-Type') ?? '';
  const body = contentType.startsWith('application/problem+json') ? parseJson(text) : undefined;
  if (isProblem(body)) return new ShippingProblem(body, { ...factsOf(response), requestId: body.requestId });
  const plain = PLAIN_MESSAGES.exec(text);
  if (response.status === 400 && plain !== null) {
    const [message, number] = plain;
    const parameter = number === undefined ? 'PageSize' : 'PageNumber';
    const problem = { code: 'invalid-parameters', detail: message, errors: [{ parameter, message }] };
    return new ShippingProblem(problem, factsOf(response));
  }
  return unexpected(response, 'is none of the service');
}

function isProblem(body: unknown): body is Problem {
  const { code, detail } = (body ?? {}) as Partial<Problem>;
  return typeof code === 'string' && typeof detail === 'string';
}

function factsOf(response: Response): ResponseFacts {
  return { status: response.status, requestId: requestIdOf(response), retryAfterMs: retryAfterMs(response) };
}

function requestIdOf(response: Response): string | undefined {
  return response.headers.get('X-Request-Id') ?? undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

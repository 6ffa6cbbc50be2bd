import { boundedText } from '../../../common/bounded-text';
import { isVisibleAscii } from '../../../common/text';
import { isUpstreamObject, kindOf, type UpstreamObject } from '../protocol/value-reader';

const MAX_RESPONSE_BYTES = 65_536;
/** The life of a token whose issuer gives none. */
const ASSUMED_LIFE_S = 300;

/** The codes of RFC 6749. Other texts may hold a value of the request, so that they are not logged. */
const ERROR_CODES: readonly unknown[] = [
  'invalid_request',
  'invalid_client',
  'invalid_grant',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
];
/** Registered types whose tokens are no bearer tokens. Other texts are not logged. */
const OTHER_TYPES: readonly unknown[] = ['mac', 'pop', 'dpop', 'n_a'];

/** What a token endpoint issues. */
export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

/**
 * Reads the response of a token endpoint as issuers really send it: members may be `null`, the type of the token may be
 * missing, and its life may be a text.
 *
 * @returns a text where there is no token: what was missing or wrong, without a value of the response
 */
export async function readTokenResponse(response: Response): Promise<IssuedToken | string> {
  const text = await boundedText(response, MAX_RESPONSE_BYTES);
  if (text === undefined) return `larger than ${MAX_RESPONSE_BYTES} bytes`;
  const body = parseObject(text);
  if (response.status !== 200 && response.status !== 201) return describeStatus(response.status, body?.error);
  if (body === undefined) return describeBody(response.headers.get('Content-Type'), text);
  const { access_token: token, token_type: type, expires_in: life } = body;
  if (typeof token !== 'string') return `access_token: ${kindOf(token)}`;
  if (!isVisibleAscii(token)) return 'access_token: a text that no header can carry';
  if (!isBearer(type)) return `token_type: ${describeType(type)}`;
  // Some issuers send the number as a text, and some 0 or less for a life that they do not name.
  const seconds = typeof life === 'string' && life.trim() !== '' ? Number(life) : life;
  const isKnown = typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds);
  return { token, lifeMs: (isKnown ? seconds : ASSUMED_LIFE_S) * 1000 };
}

function parseObject(text: string): UpstreamObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isUpstreamObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function describeStatus(status: number, error: unknown): string {
  return ERROR_CODES.includes(error) ? `status ${status} (${String(error)})` : `status ${status}`;
}

function describeBody(contentType: string | null, text: string): string {
  if (text.trim() === '') return 'an empty body';
  const [type = ''] = /^[\w.+-]{1,40}\/[\w.+-]{1,40}/.exec(contentType ?? '') ?? [];
  return type === '' || /json$/i.test(type) ? 'no JSON object' : `content type ${type.toLowerCase()}`;
}

/** Some issuers call the type `BearerToken`. */
function isBearer(type: unknown): boolean {
  if (typeof type !== 'string') return type === undefined || type === null;
  return type === '' || /^bearer(token)?$/i.test(type);
}

function describeType(type: unknown): string {
  if (typeof type !== 'string') return kindOf(type);
  const name = type.toLowerCase();
  return OTHER_TYPES.includes(name) ? name : 'not bearer';
}

import { boundedText } from '../../../common/bounded-text';
import { isVisibleAscii } from '../../../common/text';
import * as failures from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';
import { isUpstreamObject, kindOf } from '../protocol/value-reader';
import { parseJson } from '../transport/response-text';

const MAX_RESPONSE_BYTES = 65_536;
/** The life of a token whose issuer gives none. */
const ASSUMED_LIFE_S = 300;
/** Some issuers give no type, and some call it `BearerToken`. */
const BEARER = /^(?:bearer(?:token)?)?$/i;

/** The codes of RFC 6749. Other texts may hold a value of the request, so that they are not logged. */
const ERROR_CODE = /"(invalid_(?:request|client|grant|scope)|unauthorized_client|unsupported_grant_type)"/;

/** An access token, as a token endpoint has issued it. */
export interface IssuedToken {
  readonly token: string;
  readonly lifeMs: number;
}

/**
 * Reads the response of a token endpoint as issuers really send it: members may be `null`, the type of the token may be
 * missing, and its life may be a text.
 *
 * @throws {UpstreamFailure} where there is no token: what was missing or wrong, without a value of the response
 */
export async function readTokenResponse(response: Response): Promise<IssuedToken> {
  const { status, headers } = response;
  const text = await boundedText(response, MAX_RESPONSE_BYTES);
  if (text === undefined) throw failures.oversized(`${MAX_RESPONSE_BYTES} bytes`);
  if (!failures.isSuccess(status)) {
    const [, code] = ERROR_CODE.exec(text) ?? [];
    const detail = code === undefined ? '' : ` (${code})`;
    throw new UpstreamFailure(failures.reasonOfStatus(status), `status ${status}${detail}`);
  }
  const body = parseJson(text, headers.get('Content-Type'));
  if (!isUpstreamObject(body)) throw failures.wrongShape(`body: ${kindOf(body)}`);
  const token = body.access_token;
  if (typeof token !== 'string') throw failures.wrongShape(`access_token: ${kindOf(token)}`);
  if (!isVisibleAscii(token)) throw failures.wrongShape('access_token: a text that no header can carry');
  const type = body.token_type ?? '';
  if (typeof type !== 'string' || !BEARER.test(type)) throw failures.wrongShape('token_type: not bearer');
  // Some issuers send the number as a text, and some 0 or less for a life that they do not name.
  const seconds = Number(body.expires_in);
  const isKnown = seconds > 0 && seconds < Infinity;
  return { token, lifeMs: (isKnown ? seconds : ASSUMED_LIFE_S) * 1000 };
}

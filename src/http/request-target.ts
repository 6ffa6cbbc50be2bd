import type { FastifyRequest } from 'fastify';

/** The brackets that several HTTP clients append to the name of a list: `Status[]=`, `Status[0]=` (D2). */
const LIST_BRACKETS = /\[\d*\]$/;

/** The `name=value` pairs of the query string as they were sent, in order, with repetitions. */
export function pairsOf({ originalUrl }: Pick<FastifyRequest, 'originalUrl'>): string[] {
  const mark = originalUrl.indexOf('?');
  const query = mark === -1 ? '' : originalUrl.slice(mark + 1);
  return query.split('&').filter((pair) => pair !== '');
}

/** Decodes a pair by the rules of HTML forms: `+` is a space. `undefined` stands for malformed percent-encoding. */
export function decodePair(pair: string): { name: string | undefined; value: string | undefined } {
  const equals = pair.indexOf('=');
  if (equals === -1) return { name: decode(pair), value: '' };
  return { name: decode(pair.slice(0, equals)), value: decode(pair.slice(equals + 1)) };
}

function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The form in which names of parameters are compared: in lower case, without the brackets of a list. */
export function comparableName(name: string): string {
  return name.toLowerCase().replace(LIST_BRACKETS, '');
}

/** Nearly all paths have nothing to encode and single slashes. To search them nevertheless takes 1 % of a page of ten. */
const PLAIN_PATH = /^(?:\/[\w.~-]+)+$/;

/**
 * The path of a request target as a URI reference, with single slashes: a reference that starts with `//` would name a
 * host. Characters that a URI must not contain are percent-encoded by their codes, which are the bytes that the client
 * sent: Node decodes each byte of a target to one character, as Latin-1.
 */
export function pathOf(url: string): string {
  const [target = ''] = url.split('?', 1);
  if (PLAIN_PATH.test(target)) return target;
  const path = target.startsWith('/') ? target : target.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
  return path.replace(/\/{2,}/g, '/').replace(/[^\x21-\x7e]|["<>\\^`{|}[\]#]|%(?![0-9A-Fa-f]{2})/g, (byte) => {
    return `%${byte.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`;
  });
}

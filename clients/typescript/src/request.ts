/** The target of a request. */
export interface Operation {
  /** The path, such as `/api/Shipping/GetShippingInfoById/{id}`. */
  readonly url: string;
  readonly path?: { readonly id: string };
  readonly query?: object;
}

/** The URL of an operation. Parameters that are `undefined` or `null` are left out. */
export function urlOf(baseUrl: string, operation: Operation): string {
  const id = encodeURIComponent(operation.path?.id ?? '');
  const given = Object.entries(operation.query ?? {}).filter(([, value]: [string, unknown]) => value != null);
  const query = given.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  const url = `${baseUrl}${operation.url.replace('{id}', () => id)}`;
  return query.length === 0 ? url : `${url}?${query.join('&')}`;
}

/**
 * Checks a base URL.
 *
 * @param resolves whether a `fetch` of the caller sends the requests: it may resolve a relative URL, which the global
 * one cannot outside of browsers
 * @returns the base URL without slashes at its end
 * @throws TypeError that says what is wrong, without the URL, which may contain credentials
 */
export function checkedBaseUrl(baseUrl: unknown, resolves: boolean): string {
  if (typeof baseUrl !== 'string') {
    throw new TypeError("baseUrl is missing: the address of the service, such as 'https://shipping.example.com'");
  }
  if (/[?#]/.test(baseUrl)) throw new TypeError('baseUrl has a query or a fragment');
  if (/^[^/]*\/\/[^/]*@/.test(baseUrl)) throw new TypeError('baseUrl has credentials; use headers');
  const page = (globalThis as { location?: { href: string } }).location?.href;
  const origin = page ?? (resolves ? 'http://localhost' : undefined);
  if (!URL.canParse(baseUrl, origin)) {
    throw new TypeError(
      'baseUrl is no absolute URL, such as https://shipping.example.com; a relative one needs a browser',
    );
  }
  if (!/^https?:$/.test(new URL(baseUrl, origin).protocol)) {
    throw new TypeError('baseUrl must begin with http:// or https://');
  }
  return baseUrl.replace(/\/+$/, '');
}

/** Merges headers; of those with the same name, ignoring case, the last one counts. */
export function mergedHeaders(
  ...all: readonly (Readonly<Record<string, string>> | undefined)[]
): Record<string, string> {
  const merged = new Headers();
  for (const headers of all) for (const [name, value] of Object.entries(headers ?? {})) merged.set(name, value);
  return Object.fromEntries(merged);
}

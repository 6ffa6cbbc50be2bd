import type { GetShippingDetailsData } from './generated/types.gen.ts';
import type { CallOptions, Fetch, RequestHeaders, ResultFor, ShippingClientOptions } from './options.ts';
import { checkedBaseUrl, mergedHeaders, type Operation, urlOf } from './request.ts';
import { type Answer, type NotModified, type RawResponse, readResponse, type ShapeCheck } from './responses.ts';
import { orAborted, type Patience, pause, Waits } from './retries.ts';

/**
 * The accepted media types, those of results and of problems. Browsers send this value to other origins without a
 * preflight.
 */
const ACCEPT = 'application/json, application/problem+json';

/** Sends requests, and repeats them where the service says when to try again. */
export class RequestSender {
  private readonly baseUrl: string;
  private readonly fetch: Fetch;
  private readonly headers: () => RequestHeaders | Promise<RequestHeaders>;
  private readonly strict: boolean;
  private readonly patience: Patience;

  /** @throws TypeError where `baseUrl` is missing or invalid */
  constructor(options: ShippingClientOptions) {
    const given = options as Partial<ShippingClientOptions> | undefined;
    this.baseUrl = checkedBaseUrl(given?.baseUrl, given?.fetch !== undefined);
    const { headers = {}, strict = false, maxRetries = 2, maxRetryWaitMs = 10_000 } = options;
    this.fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
    this.headers = typeof headers === 'function' ? headers : () => headers;
    this.strict = strict;
    this.patience = { maxRetries, maxRetryWaitMs };
  }

  protected async send<Data, Options extends CallOptions>(
    operation: Operation,
    hasShape: ShapeCheck,
    options?: Options,
  ): Promise<ResultFor<Data, Options>> {
    const { signal, ifNoneMatch }: CallOptions = options ?? {};
    for (const waits = new Waits(this.patience); ;) {
      const raw = await orAborted(() => this.attempt(operation, options ?? {}), signal);
      const waitMs = waits.next(raw.response);
      if (waitMs === undefined) {
        const result: Answer<Data> | NotModified = readResponse<Data>(raw, hasShape, ifNoneMatch !== undefined);
        // The cast is right: without `ifNoneMatch`, `readResponse` rejects a 304, and `ResultFor` has no `NotModified`.
        return result as ResultFor<Data, Options>;
      }
      await pause(waitMs, signal);
    }
  }

  private async attempt(operation: Operation, options: CallOptions): Promise<RawResponse> {
    const { signal = null, strict = this.strict, ifNoneMatch, requestId } = options;
    const own: NonNullable<GetShippingDetailsData['headers']> = {
      ...(strict && { Prefer: 'handling=strict' }),
      ...(ifNoneMatch !== undefined && { 'If-None-Match': ifNoneMatch }),
      ...(requestId !== undefined && { 'X-Request-Id': requestId }),
    };
    const headers = mergedHeaders(await this.headers(), options.headers, { ...own, Accept: ACCEPT });
    const url = urlOf(this.baseUrl, operation);
    const response = await this.fetch(url, { method: 'GET', headers, redirect: 'manual', signal });
    return { response, text: await response.text() };
  }
}

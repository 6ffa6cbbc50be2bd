import { Inject, Injectable } from '@nestjs/common';
import { EXTERNAL_SYSTEM, type ExternalSystem } from '../../../config/external-system';
import type { Cancellation } from '../../../resilience/cancellation';
import type { QueryContext } from '../../model/query-context';
import { CredentialState } from '../credentials/credential-state';
import { UpstreamCredentials, type CredentialHeaders } from '../credentials/upstream-credentials';
import { HttpServiceCalls } from './http-service-calls';
import { UndiciTransport, type RequestHeaders } from './undici-transport';
import { parseResponse, type UpstreamResponse } from './upstream-response';

/** One `GET` request. */
export interface ExternalRequest {
  /** Path and query, below the base URL. */
  readonly path: string;
  /** The operation of the external system, such as `paged`. */
  readonly operation: string;
  readonly context: QueryContext;
  readonly cancellation: Cancellation;
}

/**
 * `GET` requests through `HttpService`. While that is untouched a request goes to the transport directly: axios would add a
 * sixth of the time of a request.
 */
@Injectable()
export class ExternalHttpClient {
  /** Of the external system. */
  readonly baseUrl: URL;

  constructor(
    private readonly calls: HttpServiceCalls,
    private readonly transport: UndiciTransport,
    private readonly credentials: UpstreamCredentials,
    private readonly credentialState: CredentialState,
    @Inject(EXTERNAL_SYSTEM) { url }: Pick<ExternalSystem, 'url'>,
  ) {
    this.baseUrl = url;
  }

  /**
   * Repeats a request once that got 401, where there is another credential.
   *
   * @throws {AttemptFailure} for everything that is no complete response; the error of an interceptor or a mock
   */
  get(request: ExternalRequest): Promise<UpstreamResponse> {
    const { cancellation } = request;
    const credential = this.credentials.headers(cancellation);
    // Where it is known, no promise delays the request.
    if (!(credential instanceof Promise)) return this.send(request, credential);
    return credential.then((fetched) => {
      cancellation.throwIfCancelled();
      return this.send(request, fetched);
    });
  }

  private send(request: ExternalRequest, credential: CredentialHeaders, isRepeated = false): Promise<UpstreamResponse> {
    const headers = this.headersOf(request.context, credential);
    const accept = (response: UpstreamResponse): UpstreamResponse | Promise<UpstreamResponse> =>
      response.status === 401 && !isRepeated
        ? this.repeat(request, response, credential)
        : this.final(request, response);
    const { path, operation, cancellation } = request;
    if (!this.calls.untouched) return this.calls.get({ url: path, headers, operation }, cancellation).then(accept);
    return this.transport
      .get(path, headers, cancellation)
      .then(({ status, headers: received, body }) =>
        accept({ status, headers: received, data: parseResponse(body, received, status) }),
      );
  }

  private headersOf(
    { requestId, traceparent, forwarded }: QueryContext,
    credential: CredentialHeaders,
  ): RequestHeaders {
    return {
      Accept: 'application/json',
      'X-Request-Id': requestId,
      traceparent,
      ...forwarded,
      ...credential,
    };
  }

  private async repeat(
    request: ExternalRequest,
    response: UpstreamResponse,
    rejected: CredentialHeaders,
  ): Promise<UpstreamResponse> {
    request.cancellation.throwIfCancelled();
    const other = await this.credentials.replace(rejected, request.cancellation);
    request.cancellation.throwIfCancelled();
    return other === undefined ? this.final(request, response) : this.send(request, other, true);
  }

  private final({ operation }: ExternalRequest, response: UpstreamResponse): UpstreamResponse {
    this.credentialState.responded(operation, response.status);
    return response;
  }
}

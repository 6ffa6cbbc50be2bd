import { of } from 'rxjs';
import { readSettings } from '../../src/config/settings';
import { CallPolicy } from '../../src/resilience/call-policy';
import type { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import type { Method } from '../../src/shipping/gateway/protocol/compare-with-request';
import type { UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';
import { jobContext } from '../../src/shipping/model/query-context';
import { POLICY_SETTINGS, spyingObserver } from './call-policy';
import { causeOf, inWords } from './units';

const SETTINGS = readSettings({});

/** What a method of the gateway returns, with causes as log lines print them; `failed` is the reason of a failure. */
interface Found {
  readonly body?: unknown;
  readonly completeness?: object;
  readonly failed?: string;
  readonly cause?: string;
}

/** The gateway without an application and without connections: tests say what the external system responds. */
export class StubbedGateway {
  /** Path and query of each request to the external system. */
  readonly sent: string[] = [];
  private response = {};
  private readonly gateway: ExternalShippingGateway;

  constructor(Protocol: typeof StandardProtocol = StandardProtocol) {
    const get = (path: string) => {
      this.sent.push(path);
      return of(this.response);
    };
    const [system, policy] = [{ url: new URL('http://a.example') }, new CallPolicy(POLICY_SETTINGS, spyingObserver())];
    this.gateway = new ExternalShippingGateway({ get } as never, system as never, new Protocol(SETTINGS), policy);
  }

  /** Calls a method; the external system responds with this body, as a `ShippingProtocol` gets it. */
  async find(
    method: Method,
    request: Partial<UpstreamRequest>,
    data: unknown,
    { status = 200, headers = {} }: { status?: number; headers?: object } = {},
  ): Promise<Found> {
    // As parsed JSON, members that are `undefined` are left out.
    this.response = { status, headers, data: data && (JSON.parse(JSON.stringify(data)) as unknown) };
    const operation = { name: 'test', path: () => '/test' };
    try {
      return inWords(await this.gateway[method]({ operation, ...request }, jobContext()));
    } catch (error) {
      return { failed: (error as UpstreamFailure).reason, cause: causeOf(error) };
    }
  }
}

/** A completeness as the response header begins with it. */
export function labelOf({ completeness }: Found): string {
  const { level, limit } = completeness as { level: string; limit?: number };
  return limit === undefined ? level : `${level};limit=${limit}`;
}

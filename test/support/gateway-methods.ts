import type { SandboxController } from '../../src/sandbox/sandbox.controller';
import type { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import type { Operation } from '../../src/shipping/gateway/operation';
import type { CallContext } from '../../src/shipping/model/call-context';
import type { Answer } from '../../src/shipping/model/completeness';
import { GetShippingDetailsQuery } from '../../src/shipping/queries/get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdQuery } from '../../src/shipping/queries/get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListQuery } from '../../src/shipping/queries/get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleQuery } from '../../src/shipping/queries/get-shipping-single/get-shipping-single.query';
import type { AnyShippingQuery } from '../../src/shipping/queries/shipping-query';

/** How a method of the gateway is asked in tests, and what belongs to it elsewhere. */
export interface GatewayMethod {
  /** Asks it, with this text where it takes one of a caller. */
  readonly ask: (
    gateway: ExternalShippingGateway,
    text: string,
    context: CallContext,
  ) => Promise<Answer<unknown> | undefined>;
  /** The query whose handler asks it, with this text. */
  readonly query: (text: string, context: CallContext) => AnyShippingQuery;
  /** The path it asks at by default; `{text}` stands for the text, encoded. */
  readonly externalPath: string;
  /** The name of the parameter that carries the text; absent where the path does. */
  readonly textParameter?: string;
  /** Single lookups may find nothing; lists have a body to fall back to. */
  readonly finds: 'record' | 'list';
  /** What metrics, spans and the cache call it. */
  readonly operation: Operation;
  /** The route of the sandbox that answers it. */
  readonly sandboxRoute: keyof SandboxController;
}

const PAGE = { PageNumber: 3, PageSize: 7 };
const SORTING = { SortBy: 'CreatedDate', SortDirection: 'desc' } as const;

/** Every method of the gateway; the compiler names one that is missing here, and what is left of one that is gone. */
export const GATEWAY_METHODS = {
  getShippingSingle: {
    ask: (gateway, text, context) => gateway.getShippingSingle({ OrderId: text }, context),
    query: (text, context) => new GetShippingSingleQuery({ OrderId: text }, context),
    externalPath: '/shippings/single',
    textParameter: 'OrderId',
    finds: 'record',
    operation: 'single',
    sandboxRoute: 'single',
  },
  getShippingInfoById: {
    ask: (gateway, text, context) => gateway.getShippingInfoById(text, context),
    query: (text, context) => new GetShippingInfoByIdQuery({ id: text }, context),
    externalPath: '/shippings/by-id/{text}',
    finds: 'record',
    operation: 'by-id',
    sandboxRoute: 'byId',
  },
  getShippingDetails: {
    ask: (gateway, text, context) => gateway.getShippingDetails({ SearchTerm: text }, context),
    query: (text, context) => new GetShippingDetailsQuery({ SearchTerm: text }, context),
    externalPath: '/shippings/details',
    textParameter: 'SearchTerm',
    finds: 'list',
    operation: 'details',
    sandboxRoute: 'details',
  },
  getShippingPagedList: {
    ask: (gateway, text, context) => gateway.getShippingPagedList({ ...PAGE, SearchTerm: text }, SORTING, context),
    query: (text, context) => new GetShippingPagedListQuery({ ...PAGE, SearchTerm: text }, context),
    externalPath: '/shippings/paged',
    textParameter: 'SearchTerm',
    finds: 'list',
    operation: 'paged',
    sandboxRoute: 'paged',
  },
} as const satisfies Readonly<Record<keyof ExternalShippingGateway, GatewayMethod>>;

type Entry = (typeof GATEWAY_METHODS)[keyof typeof GATEWAY_METHODS];
type None<Left extends never> = Left;

/** Calls that no method makes, and routes of the sandbox that none asks; there may be neither. */
export type ForgottenOperations = None<Exclude<Operation, Entry['operation']>>;
export type ForgottenRoutes = None<Exclude<keyof SandboxController, Entry['sandboxRoute']>>;

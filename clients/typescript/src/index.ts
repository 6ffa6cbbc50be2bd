export type { Answer, NotModified } from './responses.ts';
export type { Completeness, CompletenessLevel } from './completeness.ts';
export { CrowdedInstant, IncompleteList, ListChanged, ShippingProblem, UnexpectedAnswer } from './errors.ts';
export type {
  IncompletenessReason,
  PagedShippingList,
  ParameterFault,
  ShippingDetail,
  ShippingItem,
  ShippingListItem,
  ShippingLookupItem,
  ShippingStatus,
} from './generated/types.gen.ts';
export type {
  CallOptions,
  ExportParams,
  Fetch,
  GetShippingDetailsParams,
  GetShippingPagedListParams,
  GetShippingSingleParams,
  ListedRecord,
  OperationOptions,
  PagedOperation,
  PageOf,
  PagesOptions,
  Progress,
  RequestHeaders,
  ShippingClientOptions,
  UnconditionalOptions,
} from './options.ts';
export { ShippingClient } from './shipping-client.ts';

import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import type { HeaderObject } from '../../openapi/components';
import { COMPLETENESS_HEADER } from '../http/completeness.header';
import { MAX_LINK_LENGTH } from '../http/page-links';
import { COMPLETENESS_LEVELS } from '../model/completeness';

const COMPLETENESS_PATTERN = `^(complete(;limit=[1-9][0-9]*)?|(${COMPLETENESS_LEVELS.slice(1).join('|')});reason=(${FAILURE_REASONS.join('|')}))$`;

/** Response headers of the operations. */
export const SHIPPING_HEADERS: Readonly<Record<string, HeaderObject>> = {
  [COMPLETENESS_HEADER]: {
    description:
      'How much of the data of the external system the response has, a structured field (RFC 9651). `complete`; `partial`: ' +
      'malformed records or fields were left out; `stale`: an earlier response, served because the external system failed, where that is allowed; `unavailable`: the external system failed, ' +
      'and the list is empty for that reason. All but the first have a reason. `complete;limit=20`: the unpaged list holds as many ' +
      'records as its limit (`Limit`, or 100 without one; the service may have a smaller one), and there may be more.',
    required: true,
    schema: { type: 'string', pattern: COMPLETENESS_PATTERN, maxLength: 64 },
    examples: {
      complete: { summary: 'All data', value: 'complete' },
      limited: { summary: 'As many records as the limit of the list', value: 'complete;limit=20' },
      partial: { summary: 'Malformed records or fields were left out', value: 'partial;reason=bad-reply' },
      stale: { summary: 'An earlier response', value: 'stale;reason=upstream-unreachable' },
      unavailable: { summary: 'The external system failed', value: 'unavailable;reason=upstream-timeout' },
    },
  },
  Link: {
    description: `Links to other pages (RFC 8288): \`first\`, \`last\`, \`prev\`, \`next\`, with all parameters of the request. Left out where it would exceed ${MAX_LINK_LENGTH / 1024} KiB.`,
    schema: {
      type: 'string',
      pattern: '^<[^<>]+>; rel="(first|last|prev|next)"(, <[^<>]+>; rel="(first|last|prev|next)")*$',
      maxLength: MAX_LINK_LENGTH,
    },
    example: '</api/Shipping/GetShippingPagedList?PageNumber=2>; rel="next"',
  },
  'Cache-Status': {
    description:
      'Where a cache is on: how it served the response, and for how many more seconds it is fresh (RFC 9211).',
    schema: {
      type: 'string',
      pattern:
        '^shipping-query-service; (hit|fwd=(miss|stale|request))(; (ttl=-?[0-9]+|stored|collapsed|detail=stale-if-error))*$',
      maxLength: 128,
    },
    example: 'shipping-query-service; hit; ttl=12',
  },
  Age: {
    description: 'The age of a cached response in seconds.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 691_200 },
    example: 48,
  },
};

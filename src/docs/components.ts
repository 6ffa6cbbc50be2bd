import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_LINK_LENGTH } from '../shipping/page-links';
import { COMPLETENESS_LEVELS, INCOMPLETENESS_REASONS } from '../shipping/model/completeness';
import { MAX_INTEGER } from '../shipping/model/limits';

type Components = NonNullable<OpenAPIObject['components']>;
type Documented<Kind extends 'headers' | 'responses'> = Exclude<
  NonNullable<Components[Kind]>[string],
  { $ref: string }
>;
export type HeaderObject = Documented<'headers'>;
export type ResponseObject = Documented<'responses'>;
export interface Reference {
  readonly $ref: string;
}

const COMPLETENESS_PATTERN = `^(complete|(${COMPLETENESS_LEVELS.slice(1).join('|')});reason=(${INCOMPLETENESS_REASONS.join('|')}))$`;

export const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', minLength: 1, maxLength: 64 } as const;
export const REQUEST_ID_EXAMPLE = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';
export const ETAG_EXAMPLE = 'W/"97oSDpOul4jLYP-GZpJxSXwaKfE"';

/** Headers that answers share. */
export const HEADERS: Readonly<Record<string, HeaderObject>> = {
  'Shipping-Completeness': {
    description:
      'How much of what the external system holds the answer shows, a structured field (RFC 9651). `complete`; `partial`: ' +
      'odd records or fields were left out; `stale`: an earlier answer, given because the external system failed, where that is allowed; `unavailable`: the external system failed and ' +
      'the list is empty for that reason alone. The reason stands beside all but the first.',
    required: true,
    schema: { type: 'string', pattern: COMPLETENESS_PATTERN, maxLength: 64 },
    examples: {
      complete: { summary: 'All there is', value: 'complete' },
      partial: { summary: 'Odd records or fields were left out', value: 'partial;reason=bad-reply' },
      stale: { summary: 'An earlier answer', value: 'stale;reason=upstream-unreachable' },
      unavailable: { summary: 'The external system failed', value: 'unavailable;reason=upstream-timeout' },
    },
  },
  'X-Request-Id': {
    description: 'Id of the request: the one of the caller where it was fit, a new one otherwise.',
    required: true,
    schema: REQUEST_ID,
    example: REQUEST_ID_EXAMPLE,
  },
  Link: {
    description: `Where the other pages are (RFC 8288): \`first\`, \`last\`, \`prev\`, \`next\`, every parameter given kept. Left out where it would be longer than ${MAX_LINK_LENGTH / 1024} KiB.`,
    schema: {
      type: 'string',
      pattern: '^<[^<>]+>; rel="(first|last|prev|next)"(, <[^<>]+>; rel="(first|last|prev|next)")*$',
      maxLength: MAX_LINK_LENGTH,
    },
    example: '</api/Shipping/GetShippingPagedList?PageNumber=2>; rel="next"',
  },
  ETag: {
    description: 'Names the body of a complete answer; send it back in `If-None-Match`. Other answers have none.',
    schema: { type: 'string', pattern: '^W/"[A-Za-z0-9_-]{27}"$', maxLength: 32 },
    example: ETAG_EXAMPLE,
  },
  'Retry-After': {
    description: 'Seconds after which trying again may help, where that is known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INTEGER },
    example: 5,
  },
  'Preference-Applied': {
    description: 'Present where `Prefer: handling=strict` was honoured (RFC 7240).',
    schema: { type: 'string', enum: ['handling=strict'] },
    example: 'handling=strict',
  },
  'Cache-Control': {
    description: '`no-store` on everything but complete answers.',
    required: true,
    schema: { type: 'string', enum: ['private, no-cache', 'no-store'] },
    example: 'private, no-cache',
  },
  'Cache-Status': {
    description: 'Where a cache is on: how it served the answer, and for how many more seconds it is fresh (RFC 9211).',
    schema: {
      type: 'string',
      pattern:
        '^shipping-query-service; (hit|fwd=(miss|stale|request))(; (ttl=-?[0-9]+|stored|collapsed|detail=stale-if-error))*$',
      maxLength: 128,
    },
    example: 'shipping-query-service; hit; ttl=12',
  },
  Age: {
    description: 'Where the answer comes from a cache: how old it is, in seconds.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 691_200 },
    example: 48,
  },
  Vary: {
    description:
      'The request headers that the answer depends on; `Prefer` is always one of them, `Accept-Encoding` where it may be compressed.',
    required: true,
    schema: { type: 'string', pattern: '^([A-Za-z-]+, )*Prefer(, [A-Za-z-]+)*$', maxLength: 256 },
    example: 'Prefer, accept-encoding',
  },
  Allow: {
    description: 'The methods that the path supports.',
    required: true,
    schema: { type: 'string', enum: ['GET, HEAD'] },
    example: 'GET, HEAD',
  },
  'Access-Control-Allow-Origin': {
    description: 'The origin of the asking page, where the service is set up to let it read answers.',
    schema: { type: 'string', pattern: '^https?://[^\\s/]+$', maxLength: 2048 },
    example: 'https://shop.example.com',
  },
};

const COMMON_HEADERS = ['X-Request-Id', 'Cache-Control', 'Vary', 'Access-Control-Allow-Origin'];

/** References to the headers of every answer, and to those named. */
export function headers(...names: readonly string[]): Record<string, Reference> {
  const all = [...COMMON_HEADERS, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

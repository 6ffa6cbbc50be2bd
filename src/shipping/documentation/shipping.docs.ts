import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_HEADER_BYTES } from '../../common/bounds';
import type { Settings } from '../../config/settings';
import type { ApiDocs } from '../../openapi/api-document';
import { PLATFORM_HEADERS, type HeaderObject, type SchemaObject } from '../../openapi/components';
import { FAILURE_REASONS } from '../../resilience/upstream-failure';
import { COMPLETENESS_HEADER } from '../http/respond';
import { MAX_LINK_LENGTH } from '../http/page-links';
import { COMPLETENESS_LEVELS } from '../model/query-result';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/parameter-bounds';
import { WELCOME_TEXT } from './welcome.docs';

const PACKAGE_FILE = join(__dirname, '../../../package.json');
const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };

/** What the operations add to the OpenAPI document. */
export function shippingDocs(settings: Settings): ApiDocs {
  return {
    title: 'Shipping Query Service',
    version,
    description: WELCOME_TEXT,
    tag: { name: 'Shipping', description: 'The four queries' },
    schemas: SCHEMAS,
    headers: {
      ...vary(settings.external.forwardHeaders),
      [COMPLETENESS_HEADER]: COMPLETENESS,
      ...HEADERS,
    },
  };
}

/** Schemas that have no class. They have names, because generators invent names for enumerations without one. */
const SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  HandlingPreference: {
    type: 'string',
    enum: ['handling=strict', 'handling=lenient'],
    description: 'Whether to fail or to degrade where the external system fails',
  },
  PagingMessage: {
    type: 'string',
    enum: [PAGE_NUMBER.message, PAGE_SIZE.message],
    description: 'The plain message about an invalid `PageNumber` or `PageSize`',
  },
};

/** `Vary` with the headers that are sent on to the external system. */
function vary(forwarded: readonly string[]): Readonly<Record<string, HeaderObject>> {
  if (forwarded.length === 0) return {};
  return {
    Vary: {
      ...PLATFORM_HEADERS.Vary,
      schema: { type: 'string', pattern: "^([!#$%&'*+.^_`|~0-9A-Za-z-]+(, |$))+$", maxLength: MAX_HEADER_BYTES },
      example: `Prefer, accept-encoding, ${forwarded.join(', ')}`,
    },
  };
}

const REASONS = FAILURE_REASONS.join('|');
const LEVELS = COMPLETENESS_LEVELS.filter((level) => level !== 'complete').join('|');

const COMPLETENESS: HeaderObject = {
  description:
    'How much of the data of the external system the response has, a structured field (RFC 9651). `complete`; `partial`: ' +
    'malformed records or fields were left out; `stale`: an earlier response, served because the external system failed, ' +
    'where that is allowed; `unavailable`: the external system failed, and the list is empty for that reason. All but the first have a reason. ' +
    '`complete;limit=20`: the unpaged list holds as many records as its limit (`Limit`, or 100 without one; the service ' +
    'may have a smaller one), and there may be more. `dropped`: how many records were left out.',
  required: true,
  schema: {
    type: 'string',
    pattern: `^(complete(;limit=[1-9][0-9]*)?|(${LEVELS});reason=(${REASONS})(;dropped=[1-9][0-9]*)?)$`,
    maxLength: 64,
  },
  examples: {
    complete: { summary: 'All data', value: 'complete' },
    limited: { summary: 'As many records as the limit of the list', value: 'complete;limit=20' },
    partial: { summary: 'Malformed records or fields were left out', value: 'partial;reason=bad-reply' },
    dropped: { summary: 'Two malformed records were left out', value: 'partial;reason=bad-reply;dropped=2' },
    stale: { summary: 'An earlier response', value: 'stale;reason=upstream-unreachable' },
    unavailable: {
      summary: 'The external system failed',
      value: 'unavailable;reason=circuit-open',
    },
  },
};

const HEADERS: Readonly<Record<string, HeaderObject>> = {
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

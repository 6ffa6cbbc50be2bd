import type { OpenAPIObject } from '@nestjs/swagger';
import { MAX_INTEGER } from '../common/bounds';
import { IGNORED_PARAMETERS_HEADER, MAX_IGNORED_LISTED } from '../http/parameters/ignored-parameters';
import { REVALIDATE } from '../http/responses/response-headers';

type Components = NonNullable<OpenAPIObject['components']>;
type Documented<Kind extends 'headers' | 'schemas'> = Exclude<NonNullable<Components[Kind]>[string], { $ref: string }>;
export type HeaderObject = Documented<'headers'>;
export type SchemaObject = Documented<'schemas'>;
interface Reference {
  readonly $ref: string;
}

export const REQUEST_ID = { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', minLength: 1, maxLength: 64 } as const;
export const REQUEST_ID_EXAMPLE = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';

/** A string of a structured field. */
const FIELD_STRING = '"([ !#-\\[\\]-~]|\\\\["\\\\])*"';

/** Response headers of the platform. */
export const PLATFORM_HEADERS: Readonly<Record<string, HeaderObject>> = {
  'X-Request-Id': {
    description: 'Id of the request: that of the client where it is valid, a new one otherwise.',
    required: true,
    schema: REQUEST_ID,
    example: REQUEST_ID_EXAMPLE,
  },
  ETag: {
    description:
      'Identifies the body of a complete response; send it back in `If-None-Match`. Other responses have none.',
    schema: { type: 'string', pattern: '^W/"[0-9a-f]{16}"$', maxLength: 32 },
    example: 'W/"3f1a0c5e9b27d684"',
  },
  'Retry-After': {
    description: 'Seconds after which another try may succeed, where known.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: MAX_INTEGER },
    example: 5,
  },
  'Preference-Applied': {
    description: 'Present where `Prefer: handling=strict` was applied (RFC 7240).',
    schema: { type: 'string', enum: ['handling=strict'] },
    example: 'handling=strict',
  },
  [IGNORED_PARAMETERS_HEADER]: {
    description:
      `The ignored parameters, a structured field (RFC 9651): at most ${MAX_IGNORED_LISTED} strings. Absent where nothing ` +
      'was ignored. Names that are not 1 to 64 printable ASCII characters are left out.',
    schema: { type: 'string', pattern: `^${FIELD_STRING}(, ${FIELD_STRING})*$`, maxLength: 2048 },
    example: '"page", "colour"',
  },
  'Cache-Control': {
    description: '`no-store` on all responses except complete ones.',
    required: true,
    schema: { type: 'string', enum: [REVALIDATE, 'no-store'] },
    example: REVALIDATE,
  },
  Vary: {
    description:
      'The request headers on which the response depends; always `Prefer`, and `Accept-Encoding` where it may be compressed.',
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
    description: 'The origin of the requesting page, where the service allows it to read responses.',
    schema: { type: 'string', pattern: '^https?://[^\\s/]+$', maxLength: 2048 },
    example: 'https://shop.example.com',
  },
};

/** The headers of every response. */
export const COMMON_HEADERS: readonly string[] = [
  'X-Request-Id',
  'Cache-Control',
  'Vary',
  'Access-Control-Allow-Origin',
];

/** References to headers, by name. */
export function headerReferences(names: readonly string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

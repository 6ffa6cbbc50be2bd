import { applyDecorators, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  getSchemaPath,
  type ApiResponseOptions,
} from '@nestjs/swagger';
import { Problem } from '../http/problem';
import { DEFAULT_MAX_REPLY_BYTES, MAX_HEADER_BYTES, PAGE_NUMBER, PAGE_SIZE } from '../shipping/model/limits';
import { Asks } from '../shipping/pipeline/asks.decorator';
import type { QueryType } from '../shipping/queries/shipping-query';
import { headers, REQUEST_ID } from './components';
import { BAD_REQUEST, shared } from './responses';

const ENTITY_TAG = '(W/)?"[!#-~\\u0080-\\u00FF]*"';

/** What is to be said of one operation; the errors that all operations share need no words. */
export interface OperationDocs {
  /** What it asks; the service does not start where nobody handles it. */
  readonly query: QueryType;
  readonly summary: string;
  readonly description: string;
  /** The response body; an array of it where `isArray` is set. */
  readonly type: Type;
  readonly isArray?: boolean;
  readonly answer: string;
  readonly examples: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** Where in the answer stands the identifier of the first record, as a JSON Pointer: it can be looked up whole. */
  readonly firstIdentifier?: string;
  /** May answer 404. */
  readonly notFound?: boolean;
  /** Takes `PageNumber` and `PageSize`, with their plain messages, and links its pages. */
  readonly paged?: boolean;
}

/** Documents the success of an operation and the failures of its own; those that all share are added to the document. */
export function ApiShippingOperation(docs: OperationDocs): MethodDecorator {
  const { summary, description, type, isArray = false, answer, examples, notFound = false, paged = false } = docs;
  const reference = { $ref: getSchemaPath(type) };
  const schema = isArray ? { type: 'array', maxItems: DEFAULT_MAX_REPLY_BYTES, items: reference } : reference;
  return applyDecorators(
    Asks(docs.query),
    ApiExtraModels(type, Problem),
    ApiOperation({ summary, description }),
    ...requestHeaders(),
    ApiOkResponse({
      description: answer,
      headers: headers(
        'Preference-Applied',
        'Shipping-Completeness',
        'ETag',
        'Cache-Status',
        'Age',
        ...(paged ? ['Link'] : []),
      ),
      content: { 'application/json': { schema, examples } },
      ...(docs.firstIdentifier !== undefined && { links: { firstRecord: lookupLink(docs.firstIdentifier) } }),
    }),
    ...(paged ? [ApiResponse(pagingBadRequest()), sharedResponse(304, 'PageNotModified')] : []),
    ...(notFound ? [sharedResponse(404, 'NotFound')] : []),
  );
}

function sharedResponse(status: number, name: Parameters<typeof shared>[0]): MethodDecorator {
  return ApiResponse({ status, ...shared(name) });
}

function lookupLink(pointer: string): { operationId: string; description: string; parameters: Record<string, string> } {
  return {
    operationId: 'getShippingInfoById',
    description: 'The whole record of an entry, here of the first one.',
    parameters: { id: `$response.body#${pointer}` },
  };
}

function pagingBadRequest(): ApiResponseOptions {
  const messages = [PAGE_NUMBER.message, PAGE_SIZE.message];
  return {
    status: 400,
    description: `${BAD_REQUEST.description} For a bad \`PageNumber\` or \`PageSize\` the body is one of two plain messages.`,
    headers: BAD_REQUEST.headers,
    content: {
      ...BAD_REQUEST.content,
      'text/plain': {
        schema: { type: 'string', enum: messages },
        examples: {
          pageNumber: { summary: '?PageNumber=0', value: PAGE_NUMBER.message },
          pageSize: { summary: '?PageSize=101', value: PAGE_SIZE.message },
        },
      },
    },
  };
}

/** Without examples: the Swagger page would send them. */
function requestHeaders(): MethodDecorator[] {
  return [
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`handling=strict`: fail instead of degrading, and refuse unknown parameters (RFC 7240).',
      schema: { type: 'string', enum: ['handling=strict', 'handling=lenient'] },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier answer: 304 where nothing has changed (RFC 9110).',
      schema: {
        type: 'string',
        pattern: `^(\\*|${ENTITY_TAG}([ \\t]*,[ \\t]*${ENTITY_TAG})*)$`,
        maxLength: MAX_HEADER_BYTES,
      },
    }),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description: 'Id to know this request by, in answers, logs and the external system.',
      schema: { ...REQUEST_ID },
    }),
    ApiHeader({
      name: 'traceparent',
      required: false,
      description: 'Trace to continue (W3C Trace Context).',
      schema: {
        type: 'string',
        pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
        minLength: 55,
        maxLength: 55,
      },
    }),
  ];
}

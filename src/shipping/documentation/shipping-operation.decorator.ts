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
import { MAX_HEADER_BYTES } from '../../common/bounds';
import { IGNORED_PARAMETERS_HEADER } from '../../http/parameters/ignored-parameters';
import { Problem } from '../../http/problem';
import { headers, REQUEST_ID, sharedResponse } from '../../openapi/components';
import { COMPLETENESS_HEADER } from '../http/completeness.header';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/paging-rules';
import { CALL_HEADERS, PAGED_BAD_REQUEST } from './responses';

const ENTITY_TAG = '(W/)?"[!#-~\\u0080-\\u00FF]*"';

/** The documentation of one operation, without the errors that all operations share. */
export interface OperationDocs {
  readonly summary: string;
  readonly description: string;
  /** The response body; an array of it where `isArray` is set. */
  readonly type: Type;
  readonly isArray?: boolean;
  readonly result: string;
  readonly examples: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** The identifier of the first record as a JSON Pointer into the body, for a link to the detailed record. */
  readonly firstIdentifier?: string;
  /** Whether it may respond with 404. */
  readonly notFound?: boolean;
  /** Whether it has `PageNumber` and `PageSize`, with their plain messages, and links to pages. */
  readonly paged?: boolean;
}

/** Documents the success of an operation and its own failures. */
export function ApiShippingOperation(docs: OperationDocs): MethodDecorator {
  const { summary, description, type, isArray = false, result, examples, notFound = false, paged = false } = docs;
  const reference = { $ref: getSchemaPath(type) };
  const schema = isArray ? { type: 'array', items: reference } : reference;
  return applyDecorators(
    ApiExtraModels(type, Problem),
    ApiOperation({ summary, description }),
    ...requestHeaders(),
    ApiOkResponse({
      description: result,
      headers: headers(
        'Preference-Applied',
        IGNORED_PARAMETERS_HEADER,
        COMPLETENESS_HEADER,
        'ETag',
        ...CALL_HEADERS,
        ...(paged ? ['Link'] : []),
      ),
      content: { 'application/json': { schema, examples } },
      ...(docs.firstIdentifier !== undefined && { links: { firstRecord: lookupLink(docs.firstIdentifier) } }),
    }),
    ...(paged ? [ApiResponse(pagingBadRequest()), responseOf(304, 'PageNotModified')] : []),
    ...(notFound ? [responseOf(404, 'NotFound')] : []),
  );
}

function responseOf(status: number, name: string): MethodDecorator {
  return ApiResponse({ status, ...sharedResponse(name) });
}

function lookupLink(pointer: string): { operationId: string; description: string; parameters: Record<string, string> } {
  return {
    operationId: 'getShippingInfoById',
    description: 'The detailed record of the first entry.',
    parameters: { id: `$response.body#${pointer}` },
  };
}

function pagingBadRequest(): ApiResponseOptions {
  return {
    status: 400,
    ...PAGED_BAD_REQUEST,
    content: {
      ...PAGED_BAD_REQUEST.content,
      'text/plain': {
        schema: { $ref: '#/components/schemas/PagingMessage' },
        examples: {
          pageNumber: { summary: '?PageNumber=0', value: PAGE_NUMBER.message },
          pageSize: { summary: '?PageSize=101', value: PAGE_SIZE.message },
        },
      },
    },
  };
}

/** Request headers; without examples, because the Swagger page would send them. */
function requestHeaders(): MethodDecorator[] {
  return [
    ApiHeader({
      name: 'Prefer',
      required: false,
      description: '`handling=strict`: fail instead of degrading, and refuse unknown parameters (RFC 7240).',
      schema: { $ref: '#/components/schemas/HandlingPreference' },
    }),
    ApiHeader({
      name: 'If-None-Match',
      required: false,
      description: 'The `ETag` of an earlier response: 304 where it has not changed (RFC 9110).',
      schema: {
        type: 'string',
        pattern: `^(\\*|${ENTITY_TAG}([ \\t]*,[ \\t]*${ENTITY_TAG})*)$`,
        maxLength: MAX_HEADER_BYTES,
      },
    }),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description: 'Id of this request in responses, logs and the external system.',
      schema: { ...REQUEST_ID },
    }),
    ApiHeader({
      name: 'traceparent',
      required: false,
      description: 'The trace to continue (W3C Trace Context).',
      schema: {
        type: 'string',
        pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$',
        minLength: 55,
        maxLength: 55,
      },
    }),
  ];
}

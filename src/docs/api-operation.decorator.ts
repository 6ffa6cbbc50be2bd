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
import { PAGE_NUMBER, PAGE_SIZE } from '../shipping/model/limits';
import { headers, RESPONSES } from './components';

/** What is to be said of one operation; the errors that all operations share need no words. */
export interface OperationDocs {
  readonly summary: string;
  readonly description: string;
  /** The response body; an array of it where `isArray` is set. */
  readonly type: Type;
  readonly isArray?: boolean;
  readonly answer: string;
  readonly examples: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** May answer 404. */
  readonly notFound?: boolean;
  /** Takes `PageNumber` and `PageSize`, with their plain messages, and links its pages. */
  readonly paged?: boolean;
}

/** Documents the success of an operation and the failures of its own; those that all share are added to the document. */
export function ApiShippingOperation(docs: OperationDocs): MethodDecorator {
  const { summary, description, type, isArray = false, answer, examples, notFound = false, paged = false } = docs;
  const reference = { $ref: getSchemaPath(type) };
  const schema = isArray ? { type: 'array', maxItems: 100_000, items: reference } : reference;
  return applyDecorators(
    ApiExtraModels(type, Problem),
    ApiOperation({ summary, description }),
    ...requestHeaders(),
    ApiOkResponse({
      description: answer,
      headers: headers('Shipping-Completeness', 'ETag', 'Cache-Status', 'Age', ...(paged ? ['Link'] : [])),
      content: { 'application/json': { schema, examples } },
    }),
    ...(paged ? [ApiResponse(pagingBadRequest())] : []),
    ...(notFound ? [ApiResponse({ status: 404, ...RESPONSES.NotFound })] : []),
  );
}

function pagingBadRequest(): ApiResponseOptions {
  const { description, content } = RESPONSES.BadRequest;
  const messages = [PAGE_NUMBER.message, PAGE_SIZE.message];
  return {
    status: 400,
    description: `${description} For a bad \`PageNumber\` or \`PageSize\` the body is one of two plain messages.`,
    headers: headers(),
    content: {
      ...content,
      'text/plain': {
        schema: { type: 'string', enum: messages },
        examples: {
          pageNumber: { summary: 'Bad PageNumber', value: PAGE_NUMBER.message },
          pageSize: { summary: 'Bad PageSize', value: PAGE_SIZE.message },
        },
      },
    },
  };
}

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
      schema: { type: 'string', maxLength: 1024 },
    }),
    ApiHeader({
      name: 'X-Request-Id',
      required: false,
      description: 'Id to know this request by, in answers, logs and the external system.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,64}$', maxLength: 64 },
    }),
    ApiHeader({
      name: 'traceparent',
      required: false,
      description: 'Trace to continue (W3C Trace Context).',
      schema: { type: 'string', pattern: '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$', maxLength: 55 },
    }),
  ];
}

import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { headers } from './components';

/** What is to be said of a probe; the errors that all routes share need no words. */
export interface ProbeDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The body of every answer. */
  readonly type: Type;
  readonly answers: Readonly<Record<number, { readonly description: string; readonly example: unknown }>>;
}

/** Documents a probe for orchestrators. */
export function ApiProbe({ operationId, summary, description, type, answers }: ProbeDocs): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type),
    ApiOperation({ operationId, summary, description }),
    ...Object.entries(answers).map(([status, { description: meaning, example }]) =>
      ApiResponse({
        status: Number(status),
        description: meaning,
        headers: headers(),
        content: {
          'application/json': {
            schema: { $ref: getSchemaPath(type) },
            examples: { report: { summary: meaning, value: example } },
          },
        },
      }),
    ),
  );
}

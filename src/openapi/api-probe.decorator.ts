import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiOperation, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { headers } from './components';

/** The documentation of a probe, without the errors that all routes share. */
export interface ProbeDocs {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The body of every response. */
  readonly type: Type;
  readonly reports: Readonly<Record<number, { readonly description: string; readonly example: unknown }>>;
}

/** Documents a probe for orchestrators. */
export function ApiProbe({ operationId, summary, description, type, reports }: ProbeDocs): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(type),
    ApiOperation({ operationId, summary, description }),
    ...Object.entries(reports).map(([status, { description: meaning, example }]) =>
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

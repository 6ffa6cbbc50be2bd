import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { example, RouteDocs, type RouteParts } from '../openapi/route-docs';

/** The documentation of a probe, without the errors that all routes share. */
export interface ProbeDocs {
  readonly summary: string;
  readonly description: string;
  /** The body of every response. */
  readonly type: Type;
  readonly reports: Readonly<Record<number, { readonly description: string; readonly body: unknown }>>;
}

/** Documents a probe for orchestrators. */
export function ApiProbe({ summary, description, type, reports }: ProbeDocs): MethodDecorator {
  const schema = { $ref: getSchemaPath(type) };
  return applyDecorators(
    ApiExtraModels(type),
    RouteDocs(({ path }) => {
      const responses = Object.entries(reports).map(([status, { description: meaning, body }]) => {
        const report = example(path, { target: path }, body, meaning);
        return [status, { description: meaning, content: { 'application/json': { schema, examples: { report } } } }];
      });
      return { summary, description, responses: Object.fromEntries(responses) as RouteParts['responses'] };
    }),
  );
}

import { applyDecorators } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiResponse,
  type ApiResponseOptions,
  getSchemaPath,
  type OpenAPIObject,
} from '@nestjs/swagger';
import {
  EXAMPLE_REQUEST_ID,
  Problem,
  PROBLEM_MEDIA_TYPE,
  type ProblemDefinition,
  problemOf,
} from '../http/problems/problem-definitions';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponseObject = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

const SCHEMA = { $ref: getSchemaPath(Problem) };

/** A problem that an operation documents, with one example (D72). */
export interface ProblemExample {
  readonly problem: ProblemDefinition;
  /** The description of the response; by default, the detail of the problem. */
  readonly description?: string;
  /** The value of the parameter in the path of the request, where the path has one. */
  readonly id?: string;
  /** Bodies of other media types that responses of this status may have beside `application/problem+json`. */
  readonly content?: ResponseObject['content'];
}

/** Documents a response with a problem, as a request of the path would get it. */
export function problemResponse(documented: ProblemExample, path: string, publicBasePath: string): ResponseObject {
  const { problem, description = problem.detail, id = 'A-1001', content } = documented;
  const originalUrl = path.replace(/\{\w+\}/g, id);
  const value = problemOf(problem, { id: EXAMPLE_REQUEST_ID, originalUrl, publicBasePath });
  const examples = { [problem.code]: { value } };
  return { description, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA, examples }, ...content } };
}

/**
 * The problems of which the document has examples, also those of routes that an application adds: the page of problems
 * explains them, because the `type` of a problem leads there (D15). Their texts are made safe for HTML.
 */
export function documentedProblems({ paths }: OpenAPIObject): ProblemDefinition[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  const responses = operations.flatMap(({ responses = {} }) => Object.values(responses) as ResponseObject[]);
  const examples = responses.flatMap(({ content }) => Object.values(content?.[PROBLEM_MEDIA_TYPE]?.examples ?? {}));
  return examples.flatMap((example) => {
    const value: unknown = 'value' in example ? example.value : undefined;
    const { status, code, detail } = Object(value) as Partial<Record<string, unknown>>;
    if (typeof status !== 'number' || typeof detail !== 'string' || !/^[\w-]+$/.test(String(code))) return [];
    const safe = detail.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'));
    return [{ status, code: String(code), detail: safe }];
  });
}

/** Documents the response `default` of a route or a controller: every problem that an operation does not name. */
export const ApiOtherProblems = (): ClassDecorator & MethodDecorator =>
  documented({
    status: 'default',
    description: 'Any other problem; its `type` leads to its explanation.',
    headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } as object },
  });

/** Documents a problem that a route, or those of a controller, may throw in a `ProblemException`. */
export const ApiProblem = ({ status, detail }: ProblemDefinition): ClassDecorator & MethodDecorator =>
  documented({ status, description: detail });

const documented = (response: ApiResponseOptions): ClassDecorator & MethodDecorator =>
  applyDecorators(
    ApiExtraModels(Problem),
    ApiResponse({ ...response, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA } } }),
  );

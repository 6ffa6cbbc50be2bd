import { applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
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

/** The GET request that returns an example: its target, and its header fields. */
export interface ExampleRequest {
  readonly target: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A problem that an operation documents. */
export interface ProblemExample {
  readonly problem: ProblemDefinition;
  /** The description of the response; by default, the detail of the problem. */
  readonly description?: string;
  /** The request that causes the problem; absent where it takes more than one request. */
  readonly request?: ExampleRequest;
  /** When the problem occurs, as the summary of an example without a request. */
  readonly circumstance?: string;
  readonly headers?: ResponseObject['headers'];
  /** Bodies of other media types that responses of this status may have beside `application/problem+json`. */
  readonly content?: ResponseObject['content'];
}

/** Documents a response with a problem and an example, whose `instance` is the target of its request, or else `url`. */
export function problemResponse(documented: ProblemExample, url: string, publicBasePath: string): ResponseObject {
  const { problem, request, circumstance, headers, content } = documented;
  const { description = problem.detail } = documented;
  // The Swagger page shows neither the summary of a single example nor `x-request`.
  const shown = request === undefined ? description : `${description} Try \`${textOf(request)}\`.`;
  const value = problemOf(problem, { id: EXAMPLE_REQUEST_ID, originalUrl: request?.target ?? url, publicBasePath });
  const examples = { [problem.code]: exampleOf(value, request, circumstance) };
  return { description: shown, headers, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA, examples }, ...content } };
}

/**
 * The problems of which the document has examples, also those of routes that an application adds: the page of problems
 * explains them, because the `type` of a problem leads there (D15). Their texts are made safe for HTML.
 */
export function documentedProblems({ paths }: OpenAPIObject): ProblemDefinition[] {
  const operations = Object.values(paths).flatMap((item) => Object.values(item) as Operation[]);
  const responses = operations.flatMap(({ responses = {} }) => Object.values(responses) as ResponseObject[]);
  return responses.flatMap(({ content }) => {
    const examples = Object.values(content?.[PROBLEM_MEDIA_TYPE]?.examples ?? {});
    return examples.flatMap((example): ProblemDefinition[] => {
      const value: unknown = 'value' in example ? example.value : undefined;
      const { status, code, detail } = Object(value) as Partial<Record<string, unknown>>;
      if (typeof status !== 'number' || typeof detail !== 'string' || !/^[\w-]+$/.test(String(code))) return [];
      const safe = detail.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'));
      return [{ status, code: String(code), detail: safe }];
    });
  });
}

/** An example of a body. Its summary is the request that returns it, or else the circumstance. */
export function exampleOf(value: unknown, request?: ExampleRequest, circumstance?: string): object {
  if (request === undefined) return { summary: circumstance, value };
  return { summary: textOf(request), 'x-request': request, value };
}

function textOf({ target, fields = {} }: ExampleRequest): string {
  return [target, ...Object.entries(fields).map((field) => field.join(': '))].join(', ');
}

/** Documents the response `default` of a route or a controller: every problem that an operation does not name. */
export const ApiOtherProblems = (): ClassDecorator & MethodDecorator =>
  documented('default', 'Any other problem; its `type` leads to its explanation.');

/** Documents a problem that a route, or those of a controller, may throw in a `ProblemException`. */
export const ApiProblem = (
  { status, detail }: ProblemDefinition,
  description: string = detail,
): ClassDecorator & MethodDecorator => documented(status, description);

const documented = (status: number | 'default', description: string): ClassDecorator & MethodDecorator =>
  applyDecorators(
    ApiExtraModels(Problem),
    ApiResponse({ status, description, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA } } }),
  );

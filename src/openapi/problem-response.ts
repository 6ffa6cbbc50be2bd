import { applyDecorators } from '@nestjs/common';
import { ApiDefaultResponse, ApiExtraModels, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { Problem } from '../http/problems/problem';
import { PROBLEM_MEDIA_TYPE, problemOf, type ProblemDefinition } from '../http/problems/problem-definitions';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponseObject = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

/** Id of the request of each example. */
export const REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';
const SCHEMA = { $ref: getSchemaPath(Problem) };

/** The GET of an example: target and header fields. */
export interface ExampleRequest {
  readonly target: string;
  readonly fields?: Readonly<Record<string, string>>;
}

/** A problem that an operation documents. */
export interface ProblemExample {
  readonly problem: ProblemDefinition;
  /** By default, the detail of the problem. */
  readonly description?: string;
  /** The request that causes it, where one alone does. */
  readonly request?: ExampleRequest;
  /** Says when the problem occurs, where no request alone causes it. */
  readonly circumstance?: string;
  readonly headers?: ResponseObject['headers'];
  /** Further media types. */
  readonly content?: ResponseObject['content'];
}

/** A response with a problem and its example. Without a request, the example is that of the path `url`. */
export function problemResponse(documented: ProblemExample, url: string, publicBasePath: string): ResponseObject {
  const { problem, description = problem.detail, request, circumstance, headers, content } = documented;
  const value = problemOf(problem, { id: REQUEST_ID, originalUrl: request?.target ?? url, publicBasePath });
  const examples = { [problem.code]: exampleOf(value, request, circumstance) };
  return { description, headers, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA, examples }, ...content } };
}

/** An example of a body, which its request summarises. */
export function exampleOf(value: unknown, request?: ExampleRequest, circumstance?: string): object {
  if (request === undefined) return { summary: circumstance, value };
  const fields = Object.entries(request.fields ?? {}).map((field) => field.join(': '));
  return { summary: [request.target, ...fields].join(', '), 'x-request': request, value };
}

/** Documents the response `default`: every problem that an operation does not name. */
export const ApiOtherProblems = (): ClassDecorator =>
  applyDecorators(
    ApiExtraModels(Problem),
    ApiDefaultResponse({
      description: 'Any other problem; its `type` leads to its explanation.',
      content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA } },
    }),
  );

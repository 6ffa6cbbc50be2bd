import { applyDecorators } from '@nestjs/common';
import { ApiDefaultResponse, ApiExtraModels, getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { Problem, PROBLEM_MEDIA_TYPE, problemOf, type ProblemDefinition } from '../http/problems/problem';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponseObject = Exclude<Operation['responses'][string], { $ref: string } | undefined>;

/** Id of the request of each example. */
export const REQUEST_ID = '3f0f3c1e-6a39-4a3b-9c49-9a3c0c1d2e5f';
const SCHEMA = { $ref: getSchemaPath(Problem) };

/** The GET of an example: target and header fields. */
interface ExampleRequest {
  readonly target: string;
  readonly fields?: Readonly<Record<string, string>>;
}

export interface Example {
  readonly summary: string;
  readonly 'x-request'?: ExampleRequest;
  readonly value: unknown;
}

/** A problem that an operation documents, with the request that causes it. */
export interface ProblemExample extends ExampleRequest {
  readonly problem: ProblemDefinition;
  readonly description: string;
  /** Says when the problem occurs, where no request alone gives it; the example then has no request. */
  readonly circumstance?: string;
  readonly headers?: ResponseObject['headers'];
  /** Further media types. */
  readonly content?: ResponseObject['content'];
}

/** A response with a problem and its example, whose paths are below `publicBasePath` (D84). */
export function problemResponse(documented: ProblemExample, publicBasePath = ''): ResponseObject {
  const { problem, description, circumstance, headers, content, ...request } = documented;
  const value = problemOf(problem, { id: REQUEST_ID, url: request.target, publicBasePath });
  const example = circumstance === undefined ? exampleOf(request, value) : { summary: circumstance, value };
  const examples = { [problem.code]: example };
  return { description, headers, content: { [PROBLEM_MEDIA_TYPE]: { schema: SCHEMA, examples }, ...content } };
}

/** An example of a body and its request. */
export function exampleOf(request: ExampleRequest, value: unknown): Example {
  const fields = Object.entries(request.fields ?? {}).map((field) => `, ${field.join(': ')}`);
  return { summary: request.target + fields.join(''), 'x-request': request, value };
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

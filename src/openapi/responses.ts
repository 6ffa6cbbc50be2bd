import { getSchemaPath } from '@nestjs/swagger';
import { Problem, PROBLEM_MEDIA_TYPE, problemOf, type ProblemDefinition } from '../http/problem';
import { PROBLEMS } from '../http/problems';
import { headers, REQUEST_ID_EXAMPLE, sharedResponse, type Reference, type ResponseObject } from './components';

/** An example of a problem: the request, the problem, and the path of the request; none where it could not be read. */
export interface ProblemExample {
  readonly summary: string;
  readonly problem: ProblemDefinition;
  readonly path: string;
}

/** A response with a problem, its examples and the headers of every response. */
export function problemResponse(
  description: string,
  examples: Readonly<Record<string, ProblemExample>>,
  ...headerNames: readonly string[]
): ResponseObject {
  const shown = Object.entries(examples).map(([name, { summary, problem, path }]) => {
    // As JSON: members without a value are left out.
    const value: unknown = JSON.parse(JSON.stringify(problemOf(problem, { id: REQUEST_ID_EXAMPLE, url: path })));
    return [name, { summary, value }] as const;
  });
  return {
    description,
    headers: headers('Preference-Applied', ...headerNames),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: getSchemaPath(Problem) },
        examples: Object.fromEntries(shown),
      },
    },
  };
}

/**
 * Responses of every route.
 *
 * @param path of the examples
 */
export function platformResponses(path: string): Readonly<Record<string, ResponseObject>> {
  return {
    MethodNotAllowed: problemResponse(
      'Another method than GET or HEAD.',
      { methodNotAllowed: { summary: 'POST', problem: PROBLEMS.methodNotAllowed, path } },
      'Allow',
    ),
    RequestTimeout: problemResponse('The request arrived too slowly.', {
      requestTimeout: {
        summary: 'Half a request, and nothing for 10 s',
        problem: PROBLEMS.requestTimeout,
        path: '',
      },
    }),
    ExpectationFailed: problemResponse('The request has an unknown `Expect` header.', {
      expectationFailed: { summary: 'Expect: anything', problem: PROBLEMS.expectationFailed, path },
    }),
    HeaderFieldsTooLarge: problemResponse('The request line and headers together exceed 16 KiB.', {
      headerFieldsTooLarge: {
        summary: 'A query string of 20 KiB',
        problem: PROBLEMS.headerFieldsTooLarge,
        path: '',
      },
    }),
    ProbeFailed: problemResponse('The service itself failed.', {
      internalError: { summary: 'The service itself failed', problem: PROBLEMS.internalError, path },
    }),
  };
}

/** References to the responses of every route, by status. */
export const ROUTE_RESPONSES: Readonly<Record<string, Reference>> = {
  400: sharedResponse('BadRequest'),
  405: sharedResponse('MethodNotAllowed'),
  408: sharedResponse('RequestTimeout'),
  417: sharedResponse('ExpectationFailed'),
  431: sharedResponse('HeaderFieldsTooLarge'),
};

/** References to the responses of a probe, besides its reports. */
export const PROBE_RESPONSES: Readonly<Record<string, Reference>> = {
  ...ROUTE_RESPONSES,
  500: sharedResponse('ProbeFailed'),
};

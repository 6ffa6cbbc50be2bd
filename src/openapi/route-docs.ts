import { DiscoveryService } from '@nestjs/core';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import type { Settings } from '../config/settings';
import { Problem, PROBLEM_MEDIA_TYPE, problemOf, type ProblemDefinition } from '../http/problems/problem';
import { PROBLEMS } from '../http/problems/problem-definitions';
import { headerReferences, REQUEST_ID_EXAMPLE } from './components';

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
export type ResponseObject = Exclude<Operation['responses'][string], { $ref: string } | undefined>;
type Responses = Record<string, ResponseObject>;

/** A route as Nest documents it, and what its documentation depends on. */
export interface Route {
  /** The name of its method. */
  readonly operationId: string;
  readonly path: string;
  readonly parameters: NonNullable<Operation['parameters']>;
  readonly settings: Settings;
}

/** Members of an operation. */
export interface RouteParts extends Partial<Omit<Operation, 'responses'>> {
  /** The responses of other statuses than those of problems. */
  readonly responses: Readonly<Responses>;
  readonly problems?: readonly ProblemDocs[];
}

/** Documents a route, by a function that is called for each document. */
export const RouteDocs = DiscoveryService.createDecorator<(route: Route) => RouteParts>();

/** The request of an example, `x-request` in the document: a GET where it has no method. */
export interface ExampleRequest {
  /** Path and query. */
  readonly target: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A problem that a route may respond with, and its example. */
export interface ProblemDocs {
  readonly problem: ProblemDefinition;
  /** When it occurs, a sentence: part of the description of its status. */
  readonly meaning: string;
  readonly request: ExampleRequest;
  /** What else it takes, where the request alone does not lead to the problem. */
  readonly circumstance?: string;
  /** Headers that the response has besides those of every response. */
  readonly responseHeaders?: readonly string[];
  /** Whether the path of the request was not read. */
  readonly withoutPath?: boolean;
  /** Schema of the plain message, its detail, that is sent instead of a problem. */
  readonly plainSchema?: string;
}

type RouteProblem = Omit<ProblemDocs, 'problem' | 'request'> & { readonly request?: Omit<ExampleRequest, 'target'> };
type RouteProblems = Readonly<Partial<Record<keyof typeof PROBLEMS, RouteProblem>>>;

/** The problems of every route. */
const ROUTE_PROBLEMS: RouteProblems = {
  badRequest: { meaning: 'The request is malformed (`bad-request`).', circumstance: 'A request without Host' },
  methodNotAllowed: {
    meaning: 'Another method than GET or HEAD.',
    request: { method: 'POST' },
    responseHeaders: ['Allow'],
  },
  internalError: {
    meaning: 'The service itself failed (`internal-error`).',
    circumstance: 'The service itself failed',
  },
};

/** The problems that routes of APIs have besides. */
const API_PROBLEMS: RouteProblems = {
  overloaded: {
    meaning: 'The service is overloaded (`overloaded`).',
    circumstance: 'The service is overloaded',
    responseHeaders: ['Retry-After'],
  },
};

/** @param target a request that the route accepts */
export function routeProblems(target: string, isApi: boolean): ProblemDocs[] {
  const all = Object.entries({ ...ROUTE_PROBLEMS, ...(isApi && API_PROBLEMS) });
  return all.map(([name, { request, ...docs }]) => {
    return { ...docs, problem: PROBLEMS[name as keyof typeof PROBLEMS], request: { target, ...request } };
  });
}

/** Responses with problems, by status. */
export function problemResponses(path: string, problems: readonly ProblemDocs[]): Responses {
  const statuses = new Set(problems.map(({ problem }) => problem.status));
  const ofStatus = (status: number): ProblemDocs[] => problems.filter(({ problem }) => problem.status === status);
  return Object.fromEntries([...statuses].map((status) => [status, problemResponse(path, ofStatus(status))]));
}

function problemResponse(path: string, problems: readonly ProblemDocs[]): ResponseObject {
  const headers = ['Preference-Applied', ...problems.flatMap(({ responseHeaders = [] }) => responseHeaders)];
  const plain = problems.filter(({ plainSchema }) => plainSchema !== undefined);
  const others = problems.filter(({ plainSchema }) => plainSchema === undefined);
  const contentOf = (schema: string | typeof Problem, shown: typeof problems, exampleOf: typeof problemExample) => ({
    schema: { $ref: getSchemaPath(schema) },
    examples: Object.fromEntries(shown.map((docs) => [nameOf(docs.problem), exampleOf(path, docs)])),
  });
  return {
    description: [...new Set(problems.map(({ meaning }) => meaning))].join(' '),
    headers: headerReferences(headers),
    content: {
      [PROBLEM_MEDIA_TYPE]: contentOf(Problem, others, problemExample),
      ...(plain[0]?.plainSchema !== undefined && {
        'text/plain': contentOf(plain[0].plainSchema, plain, plainExample),
      }),
    },
  };
}

/** What distinguishes a problem from others of its status. */
function nameOf({ errors = [], reason, code }: ProblemDefinition): string {
  return errors[0]?.parameter ?? reason ?? code;
}

function problemExample(path: string, { problem, request, ...docs }: ProblemDocs): object {
  const url = docs.withoutPath === true ? '' : request.target;
  // As JSON: members without a value are left out.
  const value = JSON.parse(JSON.stringify(problemOf(problem, { id: REQUEST_ID_EXAMPLE, url }))) as unknown;
  return example(path, request, value, docs.circumstance);
}

function plainExample(path: string, { request, problem }: ProblemDocs): object {
  return example(path, request, problem.detail);
}

/**
 * An example of a body, with its request.
 *
 * @param summary instead of what the request has besides the path
 */
export function example(path: string, request: ExampleRequest, value: unknown, summary?: string): object {
  const { headers = {}, ...line } = request;
  const { target, method } = line;
  const [start = ''] = path.split('{');
  const parts = [method, target.slice(start.length), ...Object.entries(headers).map((header) => header.join(': '))];
  // Linters take every `headers` of the document for those of a response.
  const shown = request.headers === undefined ? line : { ...line, fields: headers };
  return { summary: summary ?? parts.filter(Boolean).join(', '), 'x-request': shown, value };
}

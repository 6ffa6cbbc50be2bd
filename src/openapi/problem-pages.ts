import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { fixedBody } from '../http/responses/compression';
import { API_PREFIX, PROBLEMS_PATH } from '../http/paths';
import { type DocumentedProblem, PROBLEMS } from '../http/problems/problem-definitions';
import { PROBLEM_MEDIA_TYPE, problemOf, type Problem } from '../http/problems/problem';
import { sendProblem } from '../http/problems/problem.filter';
import { REVALIDATE, varyBy } from '../http/responses/response-headers';
import { REQUEST_ID_EXAMPLE } from './components';
import { escaped } from './html';
import type { ResponseObject } from './route-docs';

const STYLE = 'body{font:16px/1.5 sans-serif;max-width:45em;margin:2em auto;padding:0 1em}pre{overflow:auto}';

/** No scripts, and no other style than that of the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Path of examples that no operation of the document responds with, such as those of routes that teams add. */
const NO_OPERATION = '/example';

/** The page of a problem as JSON. */
interface ProblemPage {
  readonly type: string;
  readonly code: string;
  readonly statuses: readonly number[];
  readonly meaning: string;
  readonly retry: string;
  readonly example: Problem;
}

/** Serves a page for each problem at its `type`: HTML, or JSON where `Accept` prefers `application/json`. */
export function serveProblemPages(
  app: NestFastifyApplication,
  problems: readonly DocumentedProblem[],
  document: () => OpenAPIObject,
): void {
  let pages: ReadonlyMap<string, { json: Buffer; html: Buffer }> | undefined;
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.get(`${PROBLEMS_PATH}/:code`, (request: FastifyRequest<{ Params: { code: string } }>, reply) => {
    const page = (pages ??= pagesOf(problems, document())).get(request.params.code.toLowerCase());
    if (page === undefined) {
      sendProblem(reply, request, PROBLEMS.routeNotFound);
      return;
    }
    varyBy(reply, 'Accept');
    reply.header('Cache-Control', REVALIDATE);
    if (prefersJson(request.headers.accept)) {
      reply.type('application/json; charset=utf-8').send(page.json);
    } else {
      reply.type('text/html; charset=utf-8').header('Content-Security-Policy', CONTENT_SECURITY_POLICY);
      reply.send(page.html);
    }
  });
}

function pagesOf(
  problems: readonly DocumentedProblem[],
  document: OpenAPIObject,
): ReadonlyMap<string, { json: Buffer; html: Buffer }> {
  const examples = problemExamples(document);
  return new Map(
    problems.toReversed().map((example) => {
      const { code, statuses = [example.status], meaning, retry } = example;
      const shown = examples.get(code) ?? problemOf(example, { id: REQUEST_ID_EXAMPLE, url: NO_OPERATION });
      const page = { type: shown.type, code, statuses, meaning, retry, example: shown };
      return [code, { json: fixedBody(JSON.stringify(page)), html: fixedBody(htmlOf(page)) }];
    }),
  );
}

/** The first example of each code at an operation. */
function problemExamples({ paths }: OpenAPIObject): ReadonlyMap<string, Problem> {
  const operations = Object.entries(paths).flatMap(([path, { get }]) =>
    path.startsWith(API_PREFIX) ? (get ?? []) : [],
  );
  const responses = operations.flatMap((operation) => Object.values(operation.responses)) as ResponseObject[];
  const examples = responses.flatMap(({ content }) => Object.values(content?.[PROBLEM_MEDIA_TYPE]?.examples ?? {}));
  const problems = examples.map((example) => (example as { value: Problem }).value);
  return new Map(problems.reverse().map((problem) => [problem.code, problem]));
}

function prefersJson(accept: string | undefined): boolean {
  return accept?.includes('application/json') === true;
}

function htmlOf({ code, statuses, meaning, retry, example }: ProblemPage): string {
  const phrases = statuses.map((status) => `${status} ${STATUS_CODES[status] ?? ''}`);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${code}</title><style>${STYLE}</style></head>
<body>
<h1><code>${code}</code></h1>
<p>${escaped(meaning)}</p>
<h2>Status</h2>
<p>${escaped(phrases.join(', '))}</p>
<h2>Retry</h2>
<p>${escaped(retry)}</p>
<h2>Example</h2>
<pre>${escaped(JSON.stringify(example, null, 2))}</pre>
</body>
</html>
`;
}

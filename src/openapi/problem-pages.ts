import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { namedWeight } from '../http/accept';
import { fixedBody } from '../http/compression';
import { PROBLEMS_PREFIX } from '../http/paths';
import type { ExplainedProblem } from '../http/problem-explanations';
import { problemOf, type Problem } from '../http/problem';
import { sendProblem } from '../http/problem.filter';
import { PROBLEMS } from '../http/problems';
import { REVALIDATE, varyBy } from '../http/response-headers';
import { REQUEST_ID_EXAMPLE } from './components';
import { escaped } from './html';

const STYLE = 'body{font:16px/1.5 sans-serif;max-width:45em;margin:2em auto;padding:0 1em}pre{overflow:auto}';

/** No scripts, and no other style than that of the page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of a problem as JSON. */
interface ProblemPage {
  readonly type: string;
  readonly code: string;
  readonly statuses: readonly number[];
  readonly meaning: string;
  readonly retry: string;
  readonly example: Problem;
}

/**
 * Serves a page for each problem at its `type`: HTML, or JSON where `Accept` prefers `application/json`.
 *
 * @param instance path of the examples
 */
export function serveProblemPages(
  app: NestFastifyApplication,
  problems: readonly ExplainedProblem[],
  instance: string,
): void {
  const pages = new Map(problems.map((problem) => [problem.example.code, formsOf(pageOf(problem, instance))]));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  fastify.get(`${PROBLEMS_PREFIX}:code`, (request: FastifyRequest<{ Params: { code: string } }>, reply) => {
    const page = pages.get(request.params.code.toLowerCase());
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

function formsOf(page: ProblemPage): { json: Buffer; html: Buffer } {
  return { json: fixedBody(JSON.stringify(page)), html: fixedBody(htmlOf(page)) };
}

function prefersJson(accept: string | undefined): boolean {
  return namedWeight(accept, 'application/json') > namedWeight(accept, 'text/html');
}

function pageOf({ example, statuses = [example.status], meaning, retry }: ExplainedProblem, url: string): ProblemPage {
  const problem = problemOf(example, { id: REQUEST_ID_EXAMPLE, url });
  return { type: problem.type, code: example.code, statuses, meaning, retry, example: problem };
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

import type { FastifyInstance } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { PROBLEMS_PATH } from '../http/paths';
import type { DocumentedProblem } from '../http/problems/problem-definitions';
import { allowRevalidation } from '../http/responses/response-headers';

/** Serves the page that explains each problem. */
export function serveProblemsPage(fastify: FastifyInstance, problems: readonly DocumentedProblem[]): void {
  const page = pageOf(problems);
  fastify.get(PROBLEMS_PATH, { config: { purpose: 'docs' } }, (_, reply) =>
    allowRevalidation(reply).type('text/html; charset=utf-8').send(page),
  );
}

function pageOf(problems: readonly DocumentedProblem[]): string {
  const codes = new Set(problems.map(({ code }) => code));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Problems</title>
<style>body { font: 16px/1.5 sans-serif; max-width: 45em; margin: 2em auto; padding: 0 1em }</style>
</head>
<body>
<h1>Problems</h1>
<p>Errors are <code>application/problem+json</code> (RFC 9457). The <code>code</code> of a problem is stable.
Try again after the seconds in <code>Retry-After</code>; without it, a 5xx may be tried once more, and a 4xx needs another request.</p>
${[...codes].map((code) => sectionOf(code, problems)).join('\n')}
</body>
</html>
`;
}

function sectionOf(code: string, problems: readonly DocumentedProblem[]): string {
  const ofCode = problems.filter((problem) => problem.code === code);
  const statuses = new Set(ofCode.flatMap(({ status, statuses = [status] }) => statuses));
  const phrases = [...statuses].map((status) => `${status} ${STATUS_CODES[status] ?? ''}`);
  return `<h2 id="${code}"><code>${code}</code></h2>
<p>${phrases.join(', ')}: ${ofCode.map(({ detail }) => detail).join(' ')}</p>`;
}

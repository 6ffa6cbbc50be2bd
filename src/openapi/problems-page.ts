import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { STATUS_CODES } from 'node:http';
import { PROBLEMS_PATH } from '../http/paths';
import type { DocumentedProblem } from '../http/problems/problem-definitions';
import { REVALIDATE } from '../http/responses/response-headers';

/** Serves the page that explains each problem. */
export function serveProblemsPage(app: NestFastifyApplication, problems: readonly DocumentedProblem[]): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const page = pageOf(problems);
  fastify.get(PROBLEMS_PATH, (_, reply) =>
    reply.type('text/html; charset=utf-8').header('Cache-Control', REVALIDATE).send(page),
  );
}

const UNCHANGED = 'No: the same request fails again. Change it first.';

function pageOf(problems: readonly DocumentedProblem[]): string {
  const ofCode = new Map(problems.map((problem) => [problem.code, problem]));
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
<p>Errors are <code>application/problem+json</code> (RFC 9457). The <code>code</code> of a problem is stable.</p>
${[...ofCode.values()].map(sectionOf).join('\n')}
</body>
</html>
`;
}

function sectionOf(problem: DocumentedProblem): string {
  const { code, status, statuses = [status], detail, meaning = detail, retry = UNCHANGED } = problem;
  const phrases = statuses.map((one) => `${one} ${STATUS_CODES[one] ?? ''}`);
  return `<h2 id="${code}"><code>${code}</code></h2>
<p>${phrases.join(', ')}: ${escaped(meaning)}<br>Try again? ${escaped(retry)}</p>`;
}

function escaped(text: string): string {
  return text.replace(/[&<]/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { FastifyInstance } from 'fastify';
import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { join } from 'node:path';
import { PROBLEMS_PATH } from '../http/paths';
import type { ProblemDefinition } from '../http/problems/problem-definitions';
import { allowRevalidation } from '../http/responses/response-headers';

/** Serves the page that explains each problem. */
export function serveProblemsPage(fastify: FastifyInstance, problems: readonly ProblemDefinition[]): void {
  const codes = new Set(problems.map(({ code }) => code));
  const sections = [...codes].map((code) => sectionOf(code, problems)).join('\n');
  const page = readFileSync(join(__dirname, 'problems-page.html'), 'utf8').replace('{problems}', sections);
  fastify.get(PROBLEMS_PATH, { config: { purpose: 'docs' } }, (_, reply) =>
    allowRevalidation(reply).type('text/html; charset=utf-8').send(page),
  );
}

function sectionOf(code: string, problems: readonly ProblemDefinition[]): string {
  const ofCode = problems.filter((problem) => problem.code === code);
  const statuses = new Set(ofCode.map(({ status }) => status));
  const phrases = [...statuses].sort().map((status) => `${status} ${STATUS_CODES[status] ?? ''}`);
  const details = new Set(ofCode.map(({ detail }) => detail));
  const heading = `<h2 id="${code}"><code>${code}</code></h2>`;
  return `${heading}<p>${phrases.join(', ')}: ${[...details].join(' ')}</p>`;
}

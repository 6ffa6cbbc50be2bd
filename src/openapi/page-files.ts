import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const OWN_FOLDER = join(__dirname, 'page');
const OWN_FILES = ['favicon.svg', 'page.css', 'page.js', 'theme.js'];
const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js'];

/**
 * Serves the files of the Swagger page below a path that changes with their content, so that browsers keep them for good.
 *
 * @returns that path, with a slash at its end
 */
export function servePageFiles(fastify: FastifyInstance, prefix: string): string {
  const packageFile = require.resolve('swagger-ui-dist/package.json');
  const hash = createHash('sha256').update(readFileSync(packageFile));
  for (const file of OWN_FILES) hash.update(readFileSync(join(OWN_FOLDER, file)));
  const path = `${prefix}/files/${hash.digest('hex').slice(0, 16)}/`;
  const served = new Set([...OWN_FILES, ...SWAGGER_UI_FILES].map((file) => `/${file}`));
  fastify.register(import('@fastify/static'), {
    root: [OWN_FOLDER, dirname(packageFile)],
    prefix: path,
    decorateReply: false,
    immutable: true,
    maxAge: '1y',
    allowedPath: (file) => served.has(file),
  });
  return path;
}

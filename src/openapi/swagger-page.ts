import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { dump } from 'js-yaml';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DOCS_PREFIX } from '../http/paths';
import { IMMUTABLE, REVALIDATE } from '../http/responses/response-headers';
import { escaped, operationList } from './html';

const DOCUMENT_PATH = '/openapi.json';
const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const SWAGGER_UI_PACKAGE = require.resolve('swagger-ui-dist/package.json');
const OWN_FOLDER = join(__dirname, 'page');
/** The files of the page and their media types. */
const OWN_FILES = { 'favicon.svg': 'image/svg+xml', 'page.css': CSS, 'page.js': SCRIPT, 'theme.js': SCRIPT };
const SWAGGER_UI_FILES = { 'swagger-ui.css': CSS, 'swagger-ui-bundle.js': SCRIPT };

/**
 * Serves the OpenAPI document, the Swagger page with its files, and a redirect from `/`. Each is made on its first request,
 * and kept. Those of Nest are made for each request; its page inlines the document and has no hashes in the URLs of its files.
 */
export function serveDocs(app: NestFastifyApplication, document: () => OpenAPIObject): void {
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const serve = (path: string, type: string, make: () => string | Buffer, caching = REVALIDATE): void => {
    let body: Buffer | undefined;
    fastify.get(path, { config: { heldOnce: true } }, (_, reply) =>
      reply
        .type(type)
        .header('Cache-Control', caching)
        .send((body ??= Buffer.from(make() as string))),
    );
  };
  const files = `${DOCS_PREFIX}/files/${hashOfFiles()}/`;
  for (const [folder, types] of [[OWN_FOLDER, OWN_FILES], [dirname(SWAGGER_UI_PACKAGE), SWAGGER_UI_FILES]] as const) {
    for (const [name, type] of Object.entries(types)) {
      serve(`${files}${name}`, type, () => readFileSync(join(folder, name)), IMMUTABLE);
    }
  } // prettier-ignore
  serve(DOCUMENT_PATH, 'application/json; charset=utf-8', () => JSON.stringify(document()));
  serve('/openapi.yaml', 'text/yaml; charset=utf-8', () => dump(document(), { skipInvalid: true, noRefs: true }));
  serve(DOCS_PREFIX, 'text/html; charset=utf-8', () => pageOf(document(), files));
  fastify.get('/', (_, reply) => reply.redirect(DOCS_PREFIX, 302));
}

/** Part of the path of the files, so that browsers keep them for good. */
function hashOfFiles(): string {
  const hash = createHash('sha256').update(readFileSync(SWAGGER_UI_PACKAGE));
  for (const name of Object.keys(OWN_FILES)) hash.update(readFileSync(join(OWN_FOLDER, name)));
  return hash.digest('hex').slice(0, 16);
}

/** The document is preloaded while the scripts arrive. */
function pageOf(document: OpenAPIObject, files: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(document.info.title)}</title>
<link rel="preload" href="${DOCUMENT_PATH}" as="fetch" crossorigin>
<script src="${files}theme.js"></script>
<link rel="icon" href="${files}favicon.svg">
<link rel="stylesheet" href="${files}swagger-ui.css">
<link rel="stylesheet" href="${files}page.css">
<script src="${files}swagger-ui-bundle.js" defer></script>
<script src="${files}page.js" defer></script>
</head>
<body>
<noscript>Requests need JavaScript. The document: <a href="${DOCUMENT_PATH}">openapi.json</a>.</noscript>
<div id="swagger-ui">
${operationList(document)}
</div>
</body>
</html>
`;
}

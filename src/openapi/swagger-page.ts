import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { DOCS_PREFIX } from '../http/paths';
import { REVALIDATE } from '../http/response-headers';
import { escaped } from './html';
import { operationList } from './operation-list';
import { servePageFiles } from './page-files';

const DOCUMENT_PATH = '/openapi.json';

/**
 * Serves the OpenAPI document, the Swagger page with its files, and a redirect from `/`. The page is not that of Nest, which
 * inlines the document and has no hashes in the URLs of its files.
 */
export function serveDocs(app: NestFastifyApplication, createDocument: () => OpenAPIObject): void {
  let created: OpenAPIObject | undefined;
  const document = (): OpenAPIObject => (created ??= createDocument());
  SwaggerModule.setup(DOCS_PREFIX, app, document, {
    ui: false,
    jsonDocumentUrl: DOCUMENT_PATH,
    yamlDocumentUrl: '/openapi.yaml',
    patchDocumentOnRequest: (_, reply, served) => {
      (reply as FastifyReply).header('Cache-Control', REVALIDATE);
      return served;
    },
  });
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const files = servePageFiles(fastify, DOCS_PREFIX);
  let page: string | undefined;
  fastify.get(DOCS_PREFIX, (_, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('Cache-Control', REVALIDATE)
      .send((page ??= pageOf(document(), files))),
  );
  fastify.get('/', (_, reply) => reply.redirect(DOCS_PREFIX, 302));
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

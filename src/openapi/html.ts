import type { OpenAPIObject } from '@nestjs/swagger';

/** Text for HTML, also inside quoted attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * The title and the operations as HTML, in the elements and classes of Swagger UI, which replaces them once it is loaded. A
 * click before that is a deep link, which Swagger UI then opens.
 */
export function operationList({ info, tags = [], paths }: OpenAPIObject): string {
  const [lead = ''] = (info.description ?? '').split(/\n(?=## )/);
  const sections = tags.map(({ name, description = '' }) => {
    const operations = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.tags?.includes(name) === true ? [operation(path, name, get.operationId ?? '', get.summary ?? '')] : [],
    );
    return `<div class="opblock-tag-section is-open">
<h3 class="opblock-tag"><span>${escaped(name)}</span><small>${escaped(description)}</small></h3>
${operations.join('\n')}
</div>`;
  });
  return `<div class="swagger-ui">
<div class="information-container wrapper"><header class="info">
<h1 class="title">${escaped(info.title)} <small>${escaped(info.version)}</small></h1>
<div class="lead renderedMarkdown"><p>${escaped(lead).replace(/`([^`]+)`/g, '<code>$1</code>')}</p></div>
<details class="guide"><summary>Guide: requests to try, simulated failures</summary></details>
</header></div>
<main class="wrapper">
${sections.join('\n')}
</main>
</div>`;
}

function operation(path: string, tag: string, operationId: string, summary: string): string {
  const wrapped = escaped(path).replace(/(?<=.)\//g, '<wbr>/');
  return `<div class="opblock opblock-get"><div class="opblock-summary opblock-summary-get">
<a class="opblock-summary-control" href="#/${escaped(tag)}/${escaped(operationId)}"><span class="opblock-summary-method">GET</span>
<span class="opblock-summary-path-description-wrapper"><span class="opblock-summary-path"><span>${wrapped}</span></span>
<span class="opblock-summary-description">${escaped(summary)}</span></span></a>
</div></div>`;
}

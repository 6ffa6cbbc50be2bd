import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of the OpenAPI document, from the Markdown files beside this one. */
export function welcomeText(hasSandbox: boolean, basePath: string): string {
  const files = hasSandbox ? ['welcome.md', 'sandbox.md'] : ['welcome.md'];
  const text = files.map((name) => readFileSync(join(__dirname, name), 'utf8')).join('');
  return text.replaceAll('{basePath}', basePath).trim();
}

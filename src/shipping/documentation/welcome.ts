import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The description of the OpenAPI document: Markdown from the files beside this one. Their names do not end with `.md`,
 * because tools that make container images smaller delete all `.md` files of packages.
 */
export function welcomeText(hasSandbox: boolean, basePath: string): string {
  const files = hasSandbox ? ['welcome.txt', 'sandbox.txt'] : ['welcome.txt'];
  const text = files.map((name) => readFileSync(join(__dirname, name), 'utf8')).join('');
  return text.replaceAll('{basePath}', basePath).trim();
}

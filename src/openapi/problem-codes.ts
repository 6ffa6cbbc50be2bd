import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE } from '../http/problem';
import type { Reference, ResponseObject } from './components';

/**
 * Lists the problem codes in the document, from the examples of its responses: `x-problem-codes` of each operation, and
 * `x-extensible-enum` of the `code` itself. Generators see a plain text: codes may be added.
 */
export function listProblemCodes(document: OpenAPIObject): void {
  const { components } = document;
  const all = new Set<string>();
  for (const { get } of Object.values(document.paths)) {
    if (get === undefined) continue;
    const responses = Object.values(get.responses) as (ResponseObject | Reference)[];
    const codes = new Set(responses.flatMap((response) => codesOf(resolved(response, components?.responses ?? {}))));
    for (const code of codes) all.add(code);
    Object.assign(get, { 'x-problem-codes': [...codes].sort() });
  }
  const problem = components?.schemas?.Problem;
  const code = problem !== undefined && 'properties' in problem ? problem.properties?.code : undefined;
  if (code !== undefined) Object.assign(code, { 'x-extensible-enum': [...all].sort() });
}

function resolved(
  response: ResponseObject | Reference,
  shared: Readonly<Record<string, ResponseObject | Reference>>,
): ResponseObject | undefined {
  if (!('$ref' in response)) return response;
  const target = shared[response.$ref.replace('#/components/responses/', '')];
  return target === undefined || '$ref' in target ? undefined : target;
}

function codesOf(response: ResponseObject | undefined): string[] {
  const examples = Object.values(response?.content?.[PROBLEM_MEDIA_TYPE]?.examples ?? {}) as {
    value: { code: string };
  }[];
  return examples.map(({ value }) => value.code);
}

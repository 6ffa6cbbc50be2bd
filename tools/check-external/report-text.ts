import type { Report, RuleReport } from './check';

const RESULT_WIDTH = 'cannot tell'.length;

/** The report as text, one line for each rule. */
export function reportText({ url, protocol, requests, rules, passed, failed, undecided }: Report): string {
  const idWidth = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.map(
    (rule) => `${rule.result.padEnd(RESULT_WIDTH)}  ${rule.id.padEnd(idWidth)}  ${sentence(rule)}`,
  );
  return [
    `${url} with ${protocol}`,
    '',
    ...lines,
    '',
    `${passed} passed, ${failed} failed, ${undecided} undecided; ${requests} requests`,
    '',
  ].join('\n');
}

function sentence({ title, detail, advice }: RuleReport): string {
  return [title, detail, advice]
    .filter((part) => part !== undefined)
    .map((part) => part.replace(/\.?$/, '.'))
    .join(' ');
}

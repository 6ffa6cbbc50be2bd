import { parseArgs } from 'node:util';
import { SettingsError } from '../../src/config/settings';
import { checkExternalSystem, type CheckOptions, type Report, type RuleReport } from './check';
import { CannotCheckError } from './connection';
import { changesPath } from './samples';

/*
 * npm run check:external -- --url https://… [--json] [--id … --order … --tracking …] [--protocol module]
 *
 * Checks an external system against the specification. Exit codes: 0, no rule is broken; 1, rules are broken; 2, the check
 * cannot run.
 */

const RESULT_WIDTH = 'cannot tell'.length;
const USAGE =
  'Usage: npm run check:external -- --url https://… [--json] [--id …] [--order …] [--tracking …] [--protocol module]';

interface Arguments extends CheckOptions {
  readonly json: boolean;
}

async function main(): Promise<void> {
  const { json, ...options } = readArguments();
  const report = await checkExternalSystem({ ...options, onProgress: progress() });
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report));
  process.exitCode = report.failed === 0 ? 0 : 1;
}

function readArguments(): Arguments {
  const text = { type: 'string' } as const;
  try {
    const { values } = parseArgs({
      options: { url: text, id: text, order: text, tracking: text, protocol: text, json: { type: 'boolean' } },
    });
    if (values.id !== undefined && changesPath(values.id)) throw new CannotCheckError(USAGE);
    const { url, id, order: orderId, tracking: trackingNumber, protocol, json = false } = values;
    const env = { ...process.env, ...(url !== undefined && { EXTERNAL_SHIPPING_BASE_URL: url }) };
    return { env, protocol, samples: { id, orderId, trackingNumber }, json };
  } catch {
    throw new CannotCheckError(USAGE);
  }
}

/** The report as text, one line for each rule. */
function reportText({ url, protocol, calls, requests, rules, passed, failed, undecided }: Report): string {
  const idWidth = Math.max(...rules.map(({ id }) => id.length));
  const lines = rules.map(
    (rule) => `${rule.result.padEnd(RESULT_WIDTH)}  ${rule.id.padEnd(idWidth)}  ${sentence(rule)}`,
  );
  return [
    `${url} with ${protocol}`,
    '',
    ...lines,
    '',
    `${passed} passed, ${failed} failed, ${undecided} undecided; ${calls} calls, ${requests} requests`,
    '',
  ].join('\n');
}

function sentence({ title, detail, advice }: RuleReport): string {
  return [title, detail, advice]
    .filter((part) => part !== undefined)
    .map((part) => part.replace(/\.?$/, '.'))
    .join(' ');
}

/** One line that is overwritten, on a terminal only. */
function progress(): CheckOptions['onProgress'] {
  if (!process.stderr.isTTY) return undefined;
  return (done, all) => {
    process.stderr.write(done + 1 === all ? '\r\u001b[K' : `\rRule ${done + 1} of ${all}`);
  };
}

function explanationOf(error: unknown): string {
  if (error instanceof SettingsError) return `Bad settings: ${error.errors.join('; ')}`;
  if (error instanceof CannotCheckError) return error.message;
  return `The check failed: ${error instanceof Error ? error.name : typeof error}`;
}

main().catch((error: unknown) => {
  // The module of --protocol may have started something that would keep the process alive.
  process.stderr.write(`${explanationOf(error)}\n`, () => process.exit(2));
});

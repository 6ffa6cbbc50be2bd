#!/usr/bin/env node
import '#src/config/node-version';
import { loadEnvFile, SettingsError } from '#src/config/settings';
import { parseArgs } from 'node:util';
import { CannotCheckError, checkExternalSystem, type CheckOptions, type Report, type RuleReport } from './check';
import { showResponse } from './show';

/**
 * The command `shipping-query-service`: `check`, and `show` for one response. Exit codes: 0, no rule is broken; 1, a rule is
 * broken; 2, it cannot run.
 */

const USAGE =
  'Usage: shipping-query-service check|show --url https://… [--protocol file] [--module file] [--pause ms] [--id …] [--order …] [--tracking …]';

async function main(): Promise<void> {
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  // Reads `.env` as the service does, so that both have the same settings; variables of the environment win.
  loadEnvFile();
  const { command, options } = readArguments();
  if (command === 'show') {
    process.stdout.write(await showResponse(options));
    return;
  }
  const report = await checkExternalSystem(options);
  process.stdout.write(reportText(report));
  const isBroken = report.rules.some(({ result }) => result === 'fail');
  process.exitCode = isBroken ? 1 : report.isLimited ? 2 : 0;
}

function readArguments(): { readonly command: string; readonly options: CheckOptions } {
  const text = { type: 'string' } as const;
  const options = { url: text, id: text, order: text, tracking: text, protocol: text, module: text, pause: text };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { url, id, order: orderId, tracking: trackingNumber, protocol, module, pause = '0' } = values;
    const command = positionals.join();
    if (!['check', 'show'].includes(command) || /^\.{0,2}$/.test(id ?? 'none') || !/^\d{1,6}$/.test(pause))
      throw new CannotCheckError(USAGE);
    const env = { ...process.env, ...(url !== undefined && { EXTERNAL_SHIPPING_BASE_URL: url }) };
    const samples = { id, orderId, trackingNumber };
    return { command, options: { env, protocol, module, samples, pauseMs: Number(pause) } };
  } catch {
    throw new CannotCheckError(USAGE);
  }
}

function reportText({ url, protocol, calls, requests, rules, unsupported, log }: Report): string {
  const lines = rules.map(({ rule, sent, mustCome, result, detail }) => {
    const found = detail === undefined ? '' : ` ${detail}.`;
    return `${result.padEnd(11)} ${rule.padEnd(25)} Sent: ${sent}; must come: ${mustCome}.${found}`;
  });
  const count = (result: RuleReport['result']): number => rules.filter((rule) => rule.result === result).length;
  const counts = `${count('pass')} passed, ${count('fail')} failed, ${count('cannot tell')} undecided`;
  const absent = unsupported.length === 0 ? [] : ['', `Not supported by ${protocol}: ${unsupported.join(', ')}`];
  const logged = log.length === 0 ? [] : ['', 'The service logs:', ...log.map((line) => `  ${line}`)];
  const sums = `${counts}; ${calls} calls, ${requests} requests\n`;
  return [`${url} with ${protocol}`, '', ...lines, ...absent, ...logged, '', sums].join('\n');
}

function explanationOf(error: unknown): string {
  if (error instanceof SettingsError) return `Bad settings: ${error.errors.join('; ')}`;
  if (error instanceof CannotCheckError) return error.message;
  return `The check failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

main().catch((error: unknown) => {
  // Exits explicitly: the module of --protocol may have opened something that keeps the process alive.
  process.stderr.write(`${explanationOf(error)}\n`, () => process.exit(2));
});

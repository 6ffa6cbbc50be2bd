import { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { CallLimitError, type CheckedSystem } from './checked-system';
import { CannotCheckError, connect, type Connection } from './connection';
import { expectOneRecord, findSamples } from './find-samples';
import { cannotTell, fail, type Finding, type Rule } from './rule';
import { BODY_RULES } from './rules/bodies';
import { FILTER_RULES } from './rules/filters';
import { LOAD_RULES } from './rules/load';
import { LOOKUP_RULES } from './rules/lookups';
import { OBSERVATION_RULES } from './rules/observations';
import { PAGING_RULES } from './rules/paging';
import { SORTING_RULES } from './rules/sorting';
import type { GivenSamples } from './samples';

/** The most calls that one check sends. A protocol may need several HTTP requests for one. */
export const MAX_CALLS = 150;

/** Every rule, in the order of the check: a rule comes after those that it needs. */
export const ALL_RULES: readonly Rule[] = [
  ...BODY_RULES,
  ...FILTER_RULES,
  ...LOOKUP_RULES,
  ...PAGING_RULES,
  ...SORTING_RULES,
  ...LOAD_RULES,
  ...OBSERVATION_RULES,
];

const REPEAT = 'Name samples with --id, --order and --tracking, or check again while the system is quiet.';

export interface CheckOptions {
  /** The settings of the service. */
  readonly env: NodeJS.ProcessEnv;
  /** Path of the module of a protocol; the standard protocol where it is absent. */
  readonly protocol?: string;
  readonly samples?: GivenSamples;
  readonly maxCalls?: number;
  /** Called before each rule, counted from 0. */
  readonly onProgress?: (done: number, all: number) => void;
}

/** What was found for one rule. */
export interface RuleReport {
  readonly id: string;
  readonly title: string;
  readonly result: Finding['result'];
  /** What to do, or what would be needed; absent where the rule passed. */
  readonly advice?: string;
  readonly detail?: string;
}

/** What a check found. No field holds a value of a record. */
export interface Report {
  /** Without credentials and query. */
  readonly url: string;
  /** The class of the protocol. */
  readonly protocol: string;
  readonly calls: number;
  /** HTTP requests of all calls. */
  readonly requests: number;
  readonly rules: readonly RuleReport[];
  readonly passed: number;
  readonly failed: number;
  readonly undecided: number;
}

/**
 * Checks an external system by `GET` requests.
 *
 * @throws {SettingsError} for invalid settings; {@link CannotCheckError} where the system is unreachable, its address,
 * the protocol or an access token is missing, or the given samples contradict each other
 */
export async function checkExternalSystem(options: CheckOptions): Promise<Report> {
  const connection = await connect(options.env, options.protocol, options.maxCalls ?? MAX_CALLS);
  try {
    const { system, baseUrl } = connection;
    system.samples = await findSamples(system, options.samples ?? {});
    throwIfUnreachable(connection);
    await expectOneRecord(system, options.samples ?? {});
    const rules = await checkAll(system, options.onProgress);
    const count = (result: Finding['result']): number => rules.filter((rule) => rule.result === result).length;
    return {
      url: `${baseUrl.origin}${baseUrl.pathname}`,
      protocol: system.protocol.constructor.name,
      calls: system.calls.length,
      requests: system.requests.length,
      rules,
      passed: count('pass'),
      failed: count('fail'),
      undecided: count('cannot tell'),
    };
  } finally {
    await connection.close();
  }
}

/** No list got a connection. */
function throwIfUnreachable({ system: { calls }, error }: Connection): void {
  const failures = calls.map(({ failure }) => failure);
  const isUnreachable = failures.every(
    (one) => one instanceof UpstreamFailure && one.reason === 'upstream-unreachable',
  );
  if (!isUnreachable) return;
  const [first] = failures as UpstreamFailure[];
  throw new CannotCheckError(`The external system is unreachable: ${error ?? String(first?.message)}`); // prettier-ignore
}

async function checkAll(system: CheckedSystem, onProgress: CheckOptions['onProgress']): Promise<RuleReport[]> {
  const results = new Map<string, Finding['result']>();
  const reports: RuleReport[] = [];
  for (const [index, rule] of ALL_RULES.entries()) {
    onProgress?.(index, ALL_RULES.length);
    const open =
      rule.needs?.find((id) => results.get(id) !== 'pass') ?? rule.unless?.find((id) => results.get(id) === 'fail');
    const finding = open === undefined ? await check(rule, system) : cannotTell(`See the rule ${open} first.`);
    results.set(rule.id, finding.result);
    reports.push(reportOf(rule, finding));
  }
  return reports;
}

async function check(rule: Rule, system: CheckedSystem): Promise<Finding> {
  try {
    return await rule.check(system);
  } catch (error) {
    if (error instanceof CallLimitError) return cannotTell(REPEAT, error.message);
    const complaint = complaintOf(error);
    return rule.isHint ? cannotTell(rule.advice, complaint) : fail(complaint);
  }
}

/** The message of an unexpected error may hold a value. */
function complaintOf(error: unknown): string {
  if (error instanceof UpstreamFailure) return error.message;
  return `The protocol threw ${error instanceof Error ? error.name : 'no error'}`;
}

function reportOf({ id, title, advice }: Rule, finding: Finding): RuleReport {
  const { result, detail } = finding;
  const what = { pass: undefined, fail: advice, 'cannot tell': 'advice' in finding ? finding.advice : undefined }[
    result
  ];
  return { id, title, result, ...(what !== undefined && { advice: what }), ...(detail !== undefined && { detail }) };
}

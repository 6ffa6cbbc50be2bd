import { HttpException, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { printCauses } from '#src/common/errors';
import { AppModule, readSettings, ShippingProtocol, StandardProtocol, UpstreamFailure } from '#src/index';
import { causesOf } from '#src/resilience/upstream-failure';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Broken, CannotTell, CheckedSystem, isLimit, type Samples } from './checked-system';
import { type Row, TABLE } from './table';

export interface CheckOptions {
  /** Variables of the environment. Only `EXTERNAL_SHIPPING_…` and `SHIPPING_ID_PATTERN` are read. */
  readonly env: NodeJS.ProcessEnv;
  /** A module with a class that extends `ShippingProtocol`, by path; by default, `StandardProtocol` is used. */
  readonly protocol?: string;
  /** A file with a module whose exported providers the class of `protocol` injects. */
  readonly module?: string;
  readonly samples?: Omit<Samples, 'records' | 'record'>;
  /** Milliseconds after each request. */
  readonly pauseMs?: number;
  readonly sleep?: (ms: number) => Promise<unknown>;
}

/** The result of one rule. No member has a value of a record, so that a report may be passed on. */
export interface RuleReport {
  readonly rule: string;
  readonly sent: string;
  readonly mustCome: string;
  readonly result: 'pass' | 'fail' | 'cannot tell';
  /** Says what came instead, or what the check needs to decide; with `pass`, what is legal and mostly a fault. */
  readonly detail?: string;
}

export interface Report {
  /** The base URL, without credentials and query. */
  readonly url: string;
  /** The name of the class that knows the wire format, such as `StandardProtocol`. */
  readonly protocol: string;
  readonly calls: number;
  readonly requests: number;
  readonly rules: readonly RuleReport[];
  /** Whether the system has limited requests although the check paused, so that rules are undecided. */
  readonly isLimited: boolean;
  /** The operations that the protocol does not support: their rules are left out. */
  readonly unsupported: readonly string[];
  /** The warnings that the service would have logged (D81). */
  readonly log: readonly string[];
}

/** The check cannot run. The message says why, without values of settings. */
export class CannotCheckError extends Error {}

/**
 * Checks an external system by `GET` requests, with one attempt each and no cache.
 *
 * @throws {SettingsError} for invalid settings
 * @throws {CannotCheckError} where the class of `protocol` or the module cannot be loaded or created, or the system does not respond
 */
export function checkExternalSystem(options: CheckOptions): Promise<Report> {
  return withApplication(options, async (app, url, log) => {
    const { samples = {}, pauseMs = 0, sleep = wait } = options;
    const system = new CheckedSystem(app, pauseMs, sleep);
    await system.findSamples(samples);
    expectResponse(system);
    const rules = await checkAll(system);
    const requests = system.calls.reduce((sum, call) => sum + call.requests, 0);
    const names = { url, protocol: system.protocol.constructor.name };
    const unsupported = Object.keys(system.protocol.unsupported ?? {});
    const isLimited = rules.some(({ detail }) => detail === LIMITED);
    return { ...names, calls: system.calls.length, requests, rules, isLimited, unsupported, log: [...log] };
  });
}

/**
 * Hands over an application that calls the external system with one attempt each and no cache, and closes it.
 *
 * @param use also gets the base URL, without credentials and query, and the warnings that the service would have logged
 */
export async function withApplication<T>(
  { env, protocol, module: file }: CheckOptions,
  use: (app: INestApplicationContext, url: string, log: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const names = Object.keys(env).filter((name) => /^(EXTERNAL_SHIPPING_|SHIPPING_ID_PATTERN$)/.test(name));
  const relevant = Object.fromEntries(names.map((name) => [name, env[name]]));
  const settings = readSettings({ ...relevant, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', LOG_LEVEL: 'silent' });
  const url = settings.external.baseUrl;
  if (url === undefined) throw new CannotCheckError('Name the external system with --url');
  const type = protocol === undefined ? StandardProtocol : await load('--protocol', protocol, PROTOCOL, isProtocol);
  const imports = file === undefined ? [] : [await load('--module', file, 'class with @Module()', isModule)];
  const module = AppModule.withProtocol(type as Type<ShippingProtocol>, { settings, imports });
  const log = new Set<string>();
  const logger = { log: ignore, error: ignore, warn: (line: unknown) => log.add(String(line)) };
  const quiet = { logger, abortOnError: false } as const;
  const app = await NestFactory.createApplicationContext(module, quiet).catch((error: unknown) => {
    throw new CannotCheckError(`The application cannot be created: ${messageOf(error)}`);
  });
  try {
    return await use(app, `${url.origin}${url.pathname}`, log);
  } finally {
    await app.close();
  }
}

const LIMITED = 'The external system limits requests: repeat the check with a longer --pause';
const PROTOCOL = 'class that extends ShippingProtocol';
const ignore = (): undefined => undefined;

/** The class for which an option names a file, recognised among the exports of that file. */
async function load(option: string, path: string, what: string, isIt: (value: unknown) => boolean): Promise<Type> {
  const loading = import(resolve(path)) as Promise<Record<string, object | undefined>>;
  const exported = await loading.catch((error: unknown) => {
    throw new CannotCheckError(`The file of ${option} cannot be loaded: ${messageOf(error)}`);
  });
  const values = [exported, exported.default ?? {}].flatMap((each) => [each, ...(Object.values(each) as unknown[])]);
  const found = values.find(isIt);
  if (found === undefined)
    throw new CannotCheckError(`The file of ${option} has no ${what}: name the file of the class`);
  return found as Type;
}

function isModule(value: unknown): boolean {
  const keys = ['imports', 'providers', 'exports', 'controllers'];
  return typeof value === 'function' && keys.some((key) => Reflect.hasMetadata(key, value));
}

/**
 * Recognises a class by its methods, too: its module may extend `ShippingProtocol` of another copy of the package, of
 * which `instanceof` knows nothing.
 */
function isProtocol(value: unknown): boolean {
  if (typeof value !== 'function') return false;
  const prototype = Object(value.prototype) as Partial<Record<string, unknown>>;
  const hasMethods = ['record', 'list', 'page'].every((name) => typeof prototype[name] === 'function');
  return hasMethods || prototype instanceof ShippingProtocol;
}

/**
 * The first line of the message of an error, without the list of files that Node adds. A report must not contain a value
 * of a record, and these errors cannot: they come from before the first call.
 */
function messageOf(error: unknown): string {
  return String((error as Partial<Error>).message ?? error).replace(/\n[^]*/, '');
}

/**
 * @throws {CannotCheckError} where no call got a response, as where nothing listens or there is no access token, and where
 * the system refuses all calls, as with a wrong credential
 */
function expectResponse({ calls }: CheckedSystem): void {
  const failure = calls.find((call) => call.failure !== undefined)?.failure;
  if (!(failure instanceof UpstreamFailure) || calls.some(({ result }) => result !== undefined)) return;
  const cause = printCauses(failure.causes);
  const hasResponded = failure.reason === 'bad-reply' || calls.some(({ responses }) => responses.length > 0);
  if (!hasResponded) throw new CannotCheckError(`The external system does not respond: ${cause}`);
  if (isLimit(failure) || [401, 403, 503].includes(Number(failure.status)))
    throw new CannotCheckError(`The external system refuses all requests: ${cause}`);
}

async function checkAll(system: CheckedSystem): Promise<RuleReport[]> {
  const reports: RuleReport[] = [];
  const resultOf = (name: string): string | undefined => reports.find(({ rule }) => rule === name)?.result;
  for (const [rule, sent, mustCome, needs, check] of TABLE) {
    const needed = needs === '' ? [] : needs.split(' ');
    // A rule on an operation that the protocol does not support has no report, and nor have those that need it.
    if (needed.some((need) => resultOf(need) === undefined)) continue;
    const open = needed.find((need) => resultOf(need) !== 'pass');
    const found = open === undefined ? await findingOf(check, system) : undecided(`See the rule ${open} first`);
    if (found !== undefined) reports.push({ rule, sent, mustCome, ...found });
  }
  return reports;
}

type Finding = Pick<RuleReport, 'result' | 'detail'>;
const undecided = (detail: string): Finding => ({ result: 'cannot tell', detail });

/** @returns `undefined` for a rule on an operation that the protocol does not support */
async function findingOf(check: Row[4], system: CheckedSystem): Promise<Finding | undefined> {
  try {
    const remark = await check(system);
    return { result: 'pass', ...(typeof remark === 'string' && { detail: remark }) };
  } catch (error) {
    if (error instanceof HttpException && error.getStatus() === 501) return undefined;
    if (error instanceof CannotTell) return undecided(error.message);
    if (error instanceof HttpException && error.getStatus() === 400)
      return undecided('The protocol refuses the request');
    if (isLimit(error)) return undecided(LIMITED);
    if (error instanceof Broken) return { result: 'fail', detail: error.message };
    const causes = causesOf(error);
    if (causes !== undefined) return { result: 'fail', detail: printCauses(causes) };
    // An unexpected error is shown by its name only, because its message may contain a value of a record.
    return { result: 'fail', detail: `The protocol threw ${error instanceof Error ? error.name : typeof error}` };
  }
}

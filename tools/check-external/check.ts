import { HttpException, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { resolve } from 'node:path';
import { AppModule } from '#src/app.module';
import { LoggedError } from '#src/common/errors';
import { readSettings } from '#src/config/settings';
import { UpstreamFailure } from '#src/resilience/upstream-failure';
import { ExternalShippingGateway } from '#src/shipping/gateway/external-shipping.gateway';
import { ShippingProtocol } from '#src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '#src/shipping/gateway/protocol/standard-protocol';
import { Broken, CannotTell, CheckedSystem, type Samples } from './checked-system';
import { TABLE } from './table';

export interface CheckOptions {
  /** Settings of the service: those of the external system count. */
  readonly env: NodeJS.ProcessEnv;
  /** Path of a module with a class that extends `ShippingProtocol`; absent: what `AppModule` binds. */
  readonly protocol?: string;
  readonly samples?: Omit<Samples, 'records' | 'record'>;
  readonly pause?: () => Promise<void>;
}

/** What was found for one rule. No field holds a value of a record. */
export interface RuleReport {
  readonly rule: string;
  readonly sent: string;
  readonly mustCome: string;
  readonly result: 'pass' | 'fail' | 'cannot tell';
  /** What came instead, or what would be needed. */
  readonly detail?: string;
}

export interface Report {
  /** Without credentials and query. */
  readonly url: string;
  /** The class of the protocol. */
  readonly protocol: string;
  readonly calls: number;
  /** HTTP requests of all calls. */
  readonly requests: number;
  readonly rules: readonly RuleReport[];
}

/** The check cannot run. The message is for people, without values of settings. */
export class CannotCheckError extends Error {}

/**
 * Checks an external system by `GET` requests, with one attempt each and no cache.
 *
 * @throws {SettingsError} for invalid settings; {@link CannotCheckError} where the protocol cannot be created or the system
 * does not respond
 */
export async function checkExternalSystem({ env, protocol, samples = {}, pause }: CheckOptions): Promise<Report> {
  const names = Object.keys(env).filter((name) => /^(EXTERNAL_SHIPPING_|SHIPPING_ID_PATTERN$)/.test(name));
  const relevant = Object.fromEntries(names.map((name) => [name, env[name]]));
  const settings = readSettings({ ...relevant, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1', LOG_LEVEL: 'silent' });
  const url = settings.external.baseUrl;
  if (url === undefined) throw new CannotCheckError('Name the external system with --url');
  const module = AppModule.withProtocol(
    protocol === undefined ? StandardProtocol : await loadProtocol(protocol),
    settings,
  );
  const silent = { logger: false, abortOnError: false } as const;
  const app = await NestFactory.createApplicationContext(module, silent).catch((error: unknown) => {
    throw new CannotCheckError(`The application cannot be created: ${messageOf(error)}`);
  });
  try {
    const parts = { gateway: app.get(ExternalShippingGateway, { strict: false }), protocol: app.get(ShippingProtocol) };
    const system = new CheckedSystem({ ...parts, settings, pause });
    await system.findSamples(samples);
    expectResponse(system);
    const rules = await checkAll(system);
    const requests = system.calls.reduce((sum, call) => sum + call.requests, 0);
    const names = { url: `${url.origin}${url.pathname}`, protocol: parts.protocol.constructor.name };
    return { ...names, calls: system.calls.length, requests, rules };
  } finally {
    await app.close();
  }
}

async function loadProtocol(path: string): Promise<Type<ShippingProtocol>> {
  const exported = await (import(resolve(path)) as Promise<Record<string, object | undefined>>).catch(
    (error: unknown) => {
      throw new CannotCheckError(`The module of --protocol cannot be loaded: ${messageOf(error)}`);
    },
  );
  const found = [exported, exported.default ?? {}].flatMap((each) => Object.values(each) as unknown[]).find(isProtocol);
  if (found === undefined)
    throw new CannotCheckError(
      'The module of --protocol has no class that extends ShippingProtocol: name the file of the class',
    );
  return found;
}

/** Known by its methods, because the module may have loaded another copy of the package, and so of `ShippingProtocol`. */
function isProtocol(value: unknown): value is Type<ShippingProtocol> {
  if (typeof value !== 'function') return false;
  const prototype = Object(value.prototype) as Partial<Record<string, unknown>>;
  return (
    prototype instanceof ShippingProtocol ||
    ['record', 'list', 'page'].every((name) => typeof prototype[name] === 'function')
  );
}

/** The first line of a message; errors of creation hold no values of records. */
function messageOf(error: unknown): string {
  return String((error as Partial<Error>).message ?? error).replace(/\n[^]*/, '');
}

/** @throws {CannotCheckError} where no call so far got a response: nothing listens, or there is no access token */
function expectResponse({ calls }: CheckedSystem): void {
  const [{ failure } = {}] = calls;
  if (!(failure instanceof UpstreamFailure) || failure.reason === 'bad-reply') return;
  if (calls.some(({ result, responses }) => result !== undefined || responses.length > 0)) return;
  throw new CannotCheckError(`The external system does not respond: ${failure.message}`);
}

async function checkAll(system: CheckedSystem): Promise<RuleReport[]> {
  const passed = new Set<string>();
  const reports: RuleReport[] = [];
  for (const [rule, sent, mustCome, needs, check] of TABLE) {
    const open = needs.split(' ').find((need) => need !== '' && !passed.has(need));
    const found = open === undefined ? await findingOf(() => check(system)) : undecided(`See the rule ${open} first`);
    if (found.result === 'pass') passed.add(rule);
    reports.push({ rule, sent, mustCome, ...found });
  }
  return reports;
}

type Finding = Pick<RuleReport, 'result' | 'detail'>;
const undecided = (detail: string): Finding => ({ result: 'cannot tell', detail });

async function findingOf(check: () => unknown): Promise<Finding> {
  try {
    await check();
    return { result: 'pass' };
  } catch (error) {
    if (error instanceof CannotTell) return undecided(error.message);
    if (error instanceof HttpException && error.getStatus() === 400)
      return undecided('The protocol refuses the request');
    if (error instanceof UpstreamFailure && error.status === 429)
      return undecided('The external system limits requests: repeat the check with --pause 1000');
    const isSafe = error instanceof Broken || error instanceof UpstreamFailure || error instanceof LoggedError;
    if (isSafe) return { result: 'fail', detail: error.message };
    // The message of an unexpected error may hold a value.
    return { result: 'fail', detail: `The protocol threw ${error instanceof Error ? error.name : typeof error}` };
  }
}

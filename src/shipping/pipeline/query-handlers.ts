import { MetadataScanner, type DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper';
import type { QueryType } from '../queries/shared/shipping-query';
import { Executes } from './executes.decorator';

/** The metadata key of `@QueryHandler`; the package does not export it. */
const HANDLED_QUERY = '__queryHandler__';

/** Some queries do not have exactly one handler. `message` lists them with their routes or handlers. */
export class QueryHandlersError extends Error {
  override readonly name = 'QueryHandlersError';

  constructor(readonly faults: readonly string[]) {
    super(`Queries and handlers do not match:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Checks that every query that a route executes, and every other query with a handler, has exactly one handler.
 *
 * @param handlers all handlers of the application
 * @returns the queries with a handler
 * @throws {QueryHandlersError} with all errors, each with the query and its routes or handlers
 */
export function checkQueryHandlers(discovery: DiscoveryService, handlers: readonly InstanceWrapper[]): QueryType[] {
  const handled = new Map<QueryType, string[]>();
  for (const handler of handlers) add(handled, queryOf(handler), nameOf(handler));
  const faults = [...handled]
    .filter(([, names]) => names.length > 1)
    .map(([query, names]) => `${query.name} has ${names.length} handlers: ${names.join(', ')}`);
  for (const [query, operations] of executedQueries(discovery)) {
    if (handled.has(query)) continue;
    faults.push(`${query.name} has no handler, but ${operations.join(', ')} executes it; is ${query.name.replace(/Query$/, 'Handler')} in the list of its module?`); // prettier-ignore
  }
  if (faults.length > 0) throw new QueryHandlersError(faults);
  return [...handled.keys()];
}

/** Every query that routes execute, with these routes. */
function executedQueries(discovery: DiscoveryService): Map<QueryType, string[]> {
  const executed = new Map<QueryType, string[]>();
  const scanner = new MetadataScanner();
  for (const controller of discovery.getControllers()) {
    if (typeof controller.metatype !== 'function') continue;
    for (const method of scanner.getAllMethodNames(controller.metatype.prototype as object)) {
      const query = Reflect.getMetadata(Executes.KEY, (controller.metatype.prototype as Record<string, object>)[method] ?? {}) as QueryType | undefined; // prettier-ignore
      if (query !== undefined) add(executed, query, `${controller.name as string}.${method}`);
    }
  }
  return executed;
}

function queryOf({ instance, metatype }: InstanceWrapper): QueryType {
  const type = ((instance as object | null)?.constructor ?? metatype) as object;
  return Reflect.getMetadata(HANDLED_QUERY, type) as QueryType;
}

function nameOf({ instance, name, host }: InstanceWrapper): string {
  const handler = (instance as object | null)?.constructor.name ?? String(name);
  return `${handler} of ${host?.name ?? 'no module'}`;
}

function add<Key>(names: Map<Key, string[]>, key: Key, name: string): void {
  const known = names.get(key);
  if (known === undefined) names.set(key, [name]);
  else known.push(name);
}

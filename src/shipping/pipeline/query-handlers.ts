import { MetadataScanner, type DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper';
import type { QueryType } from '../queries/shipping-query';
import { Asks } from './asks.decorator';

/** Where `@QueryHandler` notes the query of a handler; the package keeps the name to itself. */
const HANDLED_QUERY = '__queryHandler__';

/** Some queries do not have exactly one handler. `message` names each, with its operations or handlers. */
export class QueryHandlersError extends Error {
  override readonly name = 'QueryHandlersError';

  constructor(readonly faults: readonly string[]) {
    super(`Queries and handlers do not match:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}

/**
 * Looks whether every query that an operation asks, and every other one that has a handler, has exactly one.
 *
 * @param handlers all handlers of the application, however many of a query
 * @returns the queries that are handled
 * @throws {QueryHandlersError} naming every fault at once, each with the query and its operations or handlers
 */
export function checkQueryHandlers(discovery: DiscoveryService, handlers: readonly InstanceWrapper[]): QueryType[] {
  const handled = new Map<QueryType, string[]>();
  for (const handler of handlers) add(handled, queryOf(handler), nameOf(handler));
  const faults = [...handled]
    .filter(([, names]) => names.length > 1)
    .map(([query, names]) => `${query.name} has ${names.length} handlers: ${names.join(', ')}`);
  for (const [query, operations] of askedQueries(discovery)) {
    if (handled.has(query)) continue;
    faults.push(`${query.name} has no handler, but ${operations.join(', ')} asks it; is ${query.name.replace(/Query$/, 'Handler')} in the list of its module?`); // prettier-ignore
  }
  if (faults.length > 0) throw new QueryHandlersError(faults);
  return [...handled.keys()];
}

/** Every query that an operation asks, with the operations that do. */
function askedQueries(discovery: DiscoveryService): Map<QueryType, string[]> {
  const asked = new Map<QueryType, string[]>();
  const scanner = new MetadataScanner();
  for (const controller of discovery.getControllers()) {
    if (typeof controller.metatype !== 'function') continue;
    for (const method of scanner.getAllMethodNames(controller.metatype.prototype as object)) {
      const query = Reflect.getMetadata(Asks.KEY, (controller.metatype.prototype as Record<string, object>)[method] ?? {}) as QueryType | undefined; // prettier-ignore
      if (query !== undefined) add(asked, query, `${controller.name as string}.${method}`);
    }
  }
  return asked;
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

import { resolved, type Document, type Operation, type Response, type Schema } from './document';
import { excesses } from './schema-containment';

/**
 * Names what a client of the one document could trip over in the other. A request that was right has to stay right, and
 * an answer has to stay within what was said of it; whatever goes beyond that is news, not a breach.
 */
export function breakingChanges(before: Document, after: Document): string[] {
  return Object.entries(before.paths).flatMap(([path, methods]) =>
    operationsOf(methods).flatMap(([method, operation]) => {
      const name = `${method.toUpperCase()} ${path}`;
      const successor = after.paths[path]?.[method];
      if (successor === undefined) return [`${name} is removed`];
      const changes = [
        ...nameChange(operation, successor),
        ...securityChanges(before, after, operation, successor),
        ...parameterChanges(before, after, operation, successor),
        ...responseChanges(before, after, operation, successor),
      ];
      return changes.map((change) => `${name}: ${change}`);
    }),
  );
}

/** Beside its operations, a path may hold words of its own. */
function operationsOf(methods: Readonly<Record<string, Operation>>): [method: string, operation: Operation][] {
  return Object.entries(methods).filter(([, { responses }]) => (responses as object | undefined) !== undefined);
}

/** Generated clients call operations by it. */
function nameChange({ operationId: old }: Operation, { operationId }: Operation): string[] {
  return old === operationId ? [] : [`operationId ${String(old)} becomes ${String(operationId)}`];
}

function securityChanges(before: Document, after: Document, old: Operation, fresh: Operation): string[] {
  const anonymous = (requirements: readonly object[] = []): boolean =>
    requirements.length === 0 || requirements.some((requirement) => Object.keys(requirement).length === 0);
  const closed = anonymous(old.security ?? before.security) && !anonymous(fresh.security ?? after.security);
  return closed ? ['asks who is calling'] : [];
}

function parameterChanges(before: Document, after: Document, old: Operation, fresh: Operation): string[] {
  const [olds, news] = [parametersOf(before, old), parametersOf(after, fresh)];
  const removed = [...olds.keys()].filter((key) => !news.has(key)).map((key) => `${key} is removed`);
  const changed = [...news].flatMap(([key, parameter]) => {
    const ancestor = olds.get(key);
    if (parameter.required === true && ancestor?.required !== true) return [`${key} becomes required`];
    if (ancestor === undefined) return [];
    const narrowed = excesses(
      { schema: ancestor.schema, document: before },
      { schema: parameter.schema, document: after },
    ).map((excess) => `${key} no longer takes what it took: ${excess}`);
    const [was, is] = [ancestor.schema, parameter.schema].map(
      ({ default: value }) => JSON.stringify(value) as string | undefined,
    );
    return was === is ? narrowed : [...narrowed, `${key} left out means ${is ?? 'nothing'}, not ${was ?? 'nothing'}`];
  });
  return [...removed, ...changed];
}

function parametersOf(
  document: Document,
  { parameters = [] }: Operation,
): Map<string, { required?: boolean; schema: Schema }> {
  const all = parameters.map((reference) => resolved(document, reference));
  return new Map(
    all.map(({ in: place, name, required, schema }) => [
      `${place} parameter ${place === 'header' ? name.toLowerCase() : name}`,
      { required, schema: resolved(document, schema) },
    ]),
  );
}

function responseChanges(before: Document, after: Document, old: Operation, fresh: Operation): string[] {
  return Object.entries(old.responses).flatMap(([status, reference]) => {
    const successor = fresh.responses[status];
    if (successor === undefined) return [`status ${status} is removed`];
    const [was, is] = [resolved(before, reference), resolved(after, successor)];
    const changes = [
      ...contentChanges(before, after, was, is),
      ...headerChanges(before, after, was, is),
      ...missing(was.links, is.links).map((name) => `link ${name} is removed`),
    ];
    return changes.map((change) => `${status} ${change}`);
  });
}

function contentChanges(before: Document, after: Document, was: Response, is: Response): string[] {
  return Object.entries(was.content ?? {}).flatMap(([mediaType, { schema }]) => {
    const successor = is.content?.[mediaType];
    if (successor === undefined) return [`${mediaType} is removed`];
    return excesses({ schema: successor.schema, document: after }, { schema, document: before }).map(
      (excess) => `${mediaType} goes beyond what it was: ${excess}`,
    );
  });
}

function headerChanges(before: Document, after: Document, was: Response, is: Response): string[] {
  return Object.entries(was.headers ?? {}).flatMap(([name, reference]) => {
    const successor = is.headers?.[name];
    if (successor === undefined) return [`header ${name} is removed`];
    const [old, fresh] = [resolved(before, reference), resolved(after, successor)];
    if (old.required === true && fresh.required !== true) return [`header ${name} is no longer always there`];
    return excesses({ schema: fresh.schema, document: after }, { schema: old.schema, document: before }).map(
      (excess) => `header ${name} goes beyond what it was: ${excess}`,
    );
  });
}

function missing(before: object = {}, after: object = {}): string[] {
  return Object.keys(before).filter((name) => !(name in after));
}

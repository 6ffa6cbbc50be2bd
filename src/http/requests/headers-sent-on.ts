import type { FastifyInstance } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { isPrintableAscii } from '../../common/text';
import { InvalidParametersException } from '../problems/problem-definitions';

/** Gives requests the headers that are sent on. They are read on use, after guards; without names nothing is read. */
export function forwardHeaders(fastify: FastifyInstance, names: readonly string[]): void {
  if (names.length === 0) {
    fastify.decorateRequest('forwarded', undefined);
    return;
  }
  const fields = names.map((name) => [name, name.toLowerCase()] as const);
  fastify.decorateRequest('forwarded', {
    getter() {
      return readForwarded(this.headers, fields);
    },
  });
}

/**
 * The headers of a request that are sent on, by the configured names; those that the request lacks are left out.
 *
 * @throws {InvalidParametersException} that names each header whose value could not be sent on unchanged
 */
function readForwarded(
  headers: IncomingHttpHeaders,
  fields: readonly (readonly [name: string, key: string])[],
): Readonly<Record<string, string>> {
  const forwarded: Record<string, string> = {};
  const invalid: string[] = [];
  for (const [name, key] of fields) {
    const value = Object.hasOwn(headers, key) ? headers[key] : undefined;
    if (value === undefined) continue;
    if (typeof value === 'string' && isPrintableAscii(value)) forwarded[name] = value;
    else invalid.push(name);
  }
  if (invalid.length === 0) return forwarded;
  throw new InvalidParametersException(
    invalid.map((parameter) => ({ parameter, message: 'must consist of visible ASCII characters and spaces' })),
  );
}

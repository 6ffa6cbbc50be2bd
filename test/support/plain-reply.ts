import type { FastifyReply } from 'fastify';
import { RequestRecord } from '../../src/http/requests/request-record';
import { continueTrace } from '../../src/observability/tracing/tracing';

/** What a test says of a reply, and of the request that it belongs to. */
interface Given {
  readonly statusCode?: number;
  /** The header fields that the response has already. */
  readonly before?: Readonly<Record<string, string>>;
  /** The configuration of the route. */
  readonly config?: object;
  /** Members of the request. */
  readonly request?: object;
}

interface PlainReply {
  readonly reply: FastifyReply;
  readonly record: RequestRecord;
  readonly headers: () => Record<string, string>;
}

/** A reply of Fastify, as far as functions of the service read and write it, and what they have made of it. */
export function plainReply({ statusCode = 200, before = {}, config = {}, request }: Given = {}): PlainReply {
  const record = new RequestRecord(continueTrace(undefined), { config } as RequestRecord['route']);
  const fields = new Map(Object.entries(before));
  const reply = {
    statusCode,
    request: { method: 'GET', headers: {}, originalUrl: '/list', publicBasePath: '', record, ...request },
    status: (code: number) => Object.assign(reply, { statusCode: code }),
    header: (name: string, value: string) => [reply, fields.set(name, value)][0],
    removeHeader: (name: string) => [reply, fields.delete(name)][0],
    hasHeader: (name: string) => fields.has(name),
    getHeader: (name: string) => fields.get(name),
  };
  return { reply: reply as unknown as FastifyReply, record, headers: () => Object.fromEntries(fields) };
}

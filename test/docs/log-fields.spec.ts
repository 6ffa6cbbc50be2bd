import type { FastifyInstance } from 'fastify';
import { observeRequests } from '../../src/http/requests/request-log';
import { RequestRecord } from '../../src/http/requests/request-record';
import { continueTrace } from '../../src/observability/tracing/tracing';
import { read } from '../support/read';

it('D77 docs/production.md has every field of the line of a request, those that few requests have included', () => {
  const record = new RequestRecord(continueTrace(undefined), { url: '/', config: {} } as never);
  const request = { method: 'GET', id: 'a', record, raw: { socket: {} } };
  const addHook = (name: string, hook: (...args: unknown[]) => void): void => {
    if (name === 'onResponse') hook(request, { statusCode: 200 }, () => undefined);
  };
  // What is written lacks the fields that this request does not have.
  const stringify = jest.spyOn(JSON, 'stringify');
  observeRequests(
    { addHook } as never as FastifyInstance,
    { requests: { observe: jest.fn() } } as never,
    { write: jest.fn() } as never,
    0,
  );
  const [[line] = []] = stringify.mock.calls;
  stringify.mockRestore();
  const fields = Object.keys(line as object);
  expect(fields).toContain('cause');
  const [, page = ''] = /^## Logs$(.*?)^### /ms.exec(read('docs/production.md')) ?? [];
  expect(fields.filter((name) => !page.includes(`\`${name}\``) && !page.includes(`"${name}":`))).toEqual([]);
});

import type { Socket } from 'node:net';
import { ClientErrors } from './client-error';
import type { CompletedRequest } from '../requests/completed-request';

interface Refusal {
  written: string | undefined;
  destroyed: boolean;
  reported: CompletedRequest[];
}

function refuse(code: string | undefined, writable = true): Refusal {
  const refusal: Refusal = { written: undefined, destroyed: false, reported: [] };
  const socket = {
    writable,
    destroy: () => (refusal.destroyed = true),
    end: (text: string, done: () => void) => {
      refusal.written = text;
      done();
    },
  };
  const clientErrors = new ClientErrors({ isResponding: () => false });
  clientErrors.observe((request) => refusal.reported.push(request));
  clientErrors.handle(Object.assign(new Error('hidden'), { code }), socket as unknown as Socket);
  return refusal;
}

describe('ClientErrors', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431, 'header-fields-too-large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request-timeout'],
    ['HPE_INVALID_METHOD', 400, 'bad-request'],
    ['HPE_INVALID_URL', 400, 'bad-request'],
    [undefined, 400, 'bad-request'],
  ])('D15 %s is a problem with status %d, and the end of the connection', (code, status, kind) => {
    const { written = '', destroyed, reported } = refuse(code);
    const [head = '', body = ''] = written.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`));
    expect(head.toLowerCase().split('\r\n').slice(1).sort()).toEqual([
      'cache-control: no-store',
      'connection: close',
      `content-length: ${Buffer.byteLength(body)}`,
      "content-security-policy: default-src 'none'; frame-ancestors 'none'",
      'content-type: application/problem+json; charset=utf-8',
      'cross-origin-resource-policy: same-origin',
      'referrer-policy: no-referrer',
      'vary: prefer',
      'x-content-type-options: nosniff',
      'x-frame-options: deny',
      expect.stringMatching(/^x-request-id: [a-z0-9-]+$/),
    ]);
    expect(JSON.parse(body)).toMatchObject({ status, code: kind, type: `/problems#${kind}` });
    expect(head).toContain(`X-Request-Id: ${(JSON.parse(body) as { requestId: string }).requestId}\r\n`);
    expect(reported).toMatchObject([
      { method: '_OTHER', route: 'unmatched', status, problem: { code: kind }, completeness: undefined },
    ]);
    expect(head).toContain(`X-Request-Id: ${reported[0]?.requestId}\r\n`);
    expect([destroyed, written.includes('hidden')]).toEqual([true, false]);
  });

  it.each([
    ['the client is gone', 'ECONNRESET', true],
    ['nothing can be written', 'HPE_INVALID_METHOD', false],
  ])('writes nothing where %s', (_, code, writable) => {
    expect(refuse(code, writable)).toEqual({ written: undefined, destroyed: true, reported: [] });
  });
});

import { type CanActivate, type ExecutionContext, Logger } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import * as fc from 'fast-check';
import { raw, resetsMidBody } from '../../../testing/upstream/connection-faults';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { wireBody, wireItem, wireRecord } from '../../../testing/upstream/records';
import { bytes, json, status } from '../../../testing/upstream/responses';
import { expectResponse } from '../../support/expected';
import { failed, useCauses } from '../../support/observed-causes';
import { BY_ID, DETAILS, OPERATIONS } from '../../support/operations';
import { ONCE, useScriptedService, useStart } from '../../support/service';

describe('D81 D20 a stale response', () => {
  const { scripted, observe } = useCauses({ CACHE_STALE_IF_ERROR_MS: '3600000' });

  it.each([DETAILS, BY_ID])('$name names why it is stale', async (operation) => {
    const complete = await observe(operation);
    scripted.upstream.respondWith(status(500));
    const { response, ...observed } = await observe(operation);
    expectResponse(response, 'stale;reason=upstream-error');
    expect(response.body).toBe(complete.response.body);
    const cause = 'status 500';
    expect(observed).toEqual({ cause, spans: [cause], lines: [failed(operation, cause)] });
  });
});

/** Part of every value that is sent in these tests; no word of ours has it, and no status word may hold such a character. */
const SECRET = 'zq~7x';
const TOKEN = `token-${SECRET}`;

describe('D35 D39 D81 whatever the system sends, no line of the log has a value, a host or a credential', () => {
  const scripted = useScriptedService({
    ...ONCE,
    LOG_LEVEL: 'trace',
    EXTERNAL_SHIPPING_TOKEN: TOKEN,
    EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '5000',
    EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1',
  });

  async function expectNothingLogged(request: string): Promise<void> {
    const { service, upstream } = scripted;
    const [before, requests] = [service.log.length, service.requestLog.length];
    await service.request(request);
    await service.untilLogged(requests + 1);
    const lines = service.log.slice(before).join('');
    const written = decodeURIComponent(lines.replaceAll(/%(?![0-9a-f]{2})/gi, '%25'));
    for (const hidden of [SECRET, TOKEN, '127.0.0.1', 'localhost', new URL(upstream.url).host]) {
      expect(written.toLowerCase()).not.toContain(hidden);
    }
  }

  const URL_OF_SECRETS = `http://u:${SECRET}@127.0.0.1/${SECRET}`;
  const secret = fc.oneof(
    fc.constantFrom(SECRET, `${SECRET}.example`, URL_OF_SECRETS, `a/${SECRET}`, `${SECRET}=1`),
    fc.string({ maxLength: 5 }).map((text) => `${text.replaceAll(/[^\x20-\x7e]/g, '')}${SECRET}`),
  );
  const [list, object] = [secret.map((text) => [text]), secret.map((text) => ({ [text]: text }))];
  const value = fc.oneof(secret, list, object, fc.jsonValue());
  const FIELDS = [...Object.keys(wireBody()), ...Object.keys(wireItem()), SECRET];
  const fields = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 5 });
  const listOf = (record: object): object => wireBody({ Items: [{ ...wireRecord(), ...record }, record] });
  const upstreamBody = fc.tuple(fields, fields).map(([page, record]) => ({ ...listOf(record), ...page, ...record }));
  const HEADERS = 'Content-Type Content-Encoding Location Retry-After WWW-Authenticate Set-Cookie X-A'.split(' ');
  const headers = fc.dictionary(fc.constantFrom(...HEADERS), secret, { maxKeys: 3 });
  const CODES = [200, 204, 206, 301, 304, 401, 403, 404, 429, 503];
  const code = fc.oneof(fc.constantFrom(...CODES), fc.integer({ min: 200, max: 599 }));
  const statusLine = fc.constantFrom('HTTP/1.1 200 OK', `HTTP/1.1 ${SECRET}`, `HTTP/1.1 200 ${SECRET}`, SECRET, '');
  const headerLine = fc.oneof(
    ...['', 'X-A: ', 'Transfer-Encoding: ', 'Content-Length: '].map((name) => secret.map((text) => name + text)),
    fc.constant('Transfer-Encoding: chunked'),
  );
  const brokenHttp = fc.tuple(statusLine, fc.array(headerLine, { maxLength: 3 }), secret);
  const behaviours: fc.Arbitrary<Behaviour> = fc.oneof(
    upstreamBody.map((body) => json(body)),
    fc.tuple(upstreamBody, headers, code).map(([body, added, each]) => json(body, { status: each, headers: added })),
    fc.tuple(secret, headers, code).map(([body, added, each]) => bytes(Buffer.from(body, 'latin1'), added, each)),
    brokenHttp.map(([line, added, body]) => raw([line, ...added, '', body].join('\r\n'))),
    secret.map((text) => json(wireBody({ Items: text.padEnd(6000, SECRET) }))),
    fc.constant(resetsMidBody()),
  );

  it('in any response', async () => {
    await fc.assert(
      fc.asyncProperty(behaviours, fc.constantFrom(...OPERATIONS), async (behaviour, { request }) => {
        scripted.upstream.respondWith(behaviour);
        await expectNothingLogged(request);
      }),
    );
  });
});

class PassportGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    Object.assign(context.switchToHttp().getRequest(), { user: { name: SECRET } });
    return true;
  }
}

class LoggingGuard implements CanActivate {
  private readonly logger = new Logger('Team');

  canActivate(): boolean {
    this.logger.warn('No carrier');
    return true;
  }
}

describe('D39 what a team logs while it serves a traced request', () => {
  const module = { module: class {}, providers: [{ provide: APP_GUARD, useClass: LoggingGuard }] };
  const { scripted, observe } = useCauses({}, { imports: [module] });

  it('has the trace id of the request', async () => {
    await observe(DETAILS);
    const [request] = scripted.service.requestLog;
    expect(scripted.service.logged.filter(({ context }) => context === 'Team')).toMatchObject([
      { trace_id: request?.trace_id },
    ]);
    expect(request?.trace_id).toMatch(/^[0-9a-f]{32}$/);
  });
});

const start = useStart(ONCE);

it('D39 what a guard puts into request.user is not logged', async () => {
  const module = { module: class {}, providers: [{ provide: APP_GUARD, useClass: PassportGuard }] };
  const { service } = await start({}, { imports: [module] });
  await service.request(DETAILS.request);
  await service.untilLogged(1);
  expect(service.log.join()).not.toContain(SECRET);
});

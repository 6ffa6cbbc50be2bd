import { QueryBus } from '@nestjs/cqrs';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import { CallerLeft } from '../../src/shipping/gateway/policy/caller-left';
import type { CallContext } from '../../src/shipping/model/call-context';
import { COMPLETE, PARTIAL, type Answer, type IncompletenessReason } from '../../src/shipping/model/completeness';
import { ExternalSystemFailure } from '../../src/shipping/model/external-system-failure';
import { ShippingNotFound } from '../../src/shipping/queries/shipping-not-found';
import type { GatewayMethod } from './gateway-methods';
import { useScriptedService } from './service';
import { callContext } from './units';
import { delayed, empty, gzip, html, json, redirect, status } from './upstream/answers';
import { badJson, oversized, truncatedGzip, truncatedJson, wrongShape } from './upstream/body-faults';
import { drips, neverAnswers, resetsBeforeHeaders, resetsMidBody } from './upstream/connection-faults';
import type { Behaviour } from './upstream/exchange';
import { anyReply, detailsReply, inCamelCase, pagedReply, wireRecord } from './upstream/records';

const TOKEN = 'hidden-credential';
/** Short times and one attempt: what fails fails soon, and each fault is seen by itself. */
const IMPATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '1200',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '600',
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_TOKEN: TOKEN,
};

const FAULTS: readonly (readonly [name: string, reason: IncompletenessReason, behaviour: Behaviour])[] = [
  ['silence', 'upstream-timeout', neverAnswers()],
  ['a body that drips past the deadline', 'upstream-timeout', drips(anyReply(), 50)],
  ['a reset', 'upstream-unreachable', resetsBeforeHeaders()],
  ['a body that breaks off', 'bad-reply', resetsMidBody()],
  ['500', 'upstream-error', status(500)],
  ['401', 'upstream-error', status(401)],
  ['a redirect', 'bad-reply', redirect()],
  ['JSON that is none', 'bad-reply', badJson()],
  ['JSON cut short', 'bad-reply', truncatedJson()],
  ['gzip cut short', 'bad-reply', truncatedGzip()],
  ['a body over the limit', 'bad-reply', oversized(200_000)],
  ['another shape', 'bad-reply', wrongShape()],
  ['a web page', 'bad-reply', html()],
  ['no body', 'bad-reply', empty(200)],
];

/** One sound record and one whose fields have the wrong types, in whatever reply is asked for. */
const ODD_FIELD = { TotalWeight: 'heavy' };
const ODD = {
  ...wireRecord(ODD_FIELD),
  ...pagedReply([wireRecord(), wireRecord(ODD_FIELD)]),
  ...detailsReply([wireRecord(), wireRecord(ODD_FIELD)]),
};

/** What every method of the gateway owes its callers, over the wire; and what its query makes of that. */
export function describeGatewayMethod(name: string, method: GatewayMethod): void {
  describe(`${name} of the gateway`, () => {
    const scripted = useScriptedService(IMPATIENT);
    const ask = (text = 'ORD-1', context = callContext()): Promise<Answer<unknown> | undefined> =>
      method.ask(scripted.service.app.get(ExternalShippingGateway), text, context);

    describeRequests(method, scripted, ask);
    describeReplies(method, scripted, ask);
    describeQuery(method, scripted);
  });
  describe(`${name} of the gateway, with patience`, () => {
    describeCalls(method);
  });
}

type Scripted = ReturnType<typeof useScriptedService>;
type AskMethod = (text?: string, context?: CallContext) => Promise<Answer<unknown> | undefined>;

function describeRequests(method: GatewayMethod, scripted: Scripted, ask: AskMethod): void {
  it('D16 asks once, by GET, at its path, with the headers of the contract and no body', async () => {
    const context = callContext();
    await ask('ORD-1', context);
    expect(scripted.upstream.calls).toHaveLength(1);
    expect(scripted.upstream.calls[0]).toMatchObject({
      method: 'GET',
      path: method.externalPath.replace('{text}', 'ORD-1'),
      headers: {
        accept: 'application/json',
        host: new URL(scripted.upstream.url).host,
        'x-request-id': context.requestId,
        traceparent: context.traceparent,
        authorization: `Bearer ${TOKEN}`,
      },
    });
    expect(scripted.upstream.calls[0]?.headers).not.toHaveProperty('content-length');
  });

  it.each(['../../admin', '//evil.example/x', 'a?b=c&d=e#f', 'https://evil.example', 'ä +%2F%00', "$&$1{id}'"])(
    'D9 %j changes neither host nor path',
    async (text) => {
      await ask(text);
      const [call] = scripted.upstream.calls;
      expect(call?.headers.host).toBe(new URL(scripted.upstream.url).host);
      expect(call?.path).toBe(method.externalPath.replace('{text}', () => encodeURIComponent(text)));
      if (method.textParameter === undefined) expect(call?.query).toBe('');
      else expect(call?.params.getAll(method.textParameter)).toEqual([text]);
    },
  );
}

function describeReplies(method: GatewayMethod, scripted: Scripted, ask: AskMethod): void {
  it.each<[string, Behaviour]>([
    ['as specified', json()],
    ['in camelCase', json(inCamelCase(anyReply()))],
    ['compressed', gzip()],
  ])('D17 reads a sound reply %s completely', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    expect(await ask()).toMatchObject({ completeness: COMPLETE });
  });

  it('D19 D20 an odd record makes the answer partial', async () => {
    scripted.upstream.respondWith(json(ODD));
    const record = method.finds === 'record';
    expect(await ask()).toMatchObject({ completeness: PARTIAL, body: record ? { totalWeight: null } : expect.anything() }); // prettier-ignore
  });

  it('D18 404 means no match to a single lookup, and failure to a list', async () => {
    scripted.upstream.respondWith(status(404));
    if (method.finds === 'record') expect(await ask()).toBeUndefined();
    else await expect(ask()).rejects.toMatchObject({ reason: 'upstream-error' });
  });

  it.each(FAULTS)('D18 D20 %s is %s, told without host, path or credential', async (_, reason, behaviour) => {
    // Sound calls before it keep the circuit closed.
    await Promise.all([ask('ORD-2'), ask('ORD-3')]);
    scripted.upstream.respondWith(behaviour);
    const failure: unknown = await ask().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ExternalSystemFailure);
    expect(failure).toMatchObject({ reason });
    const told = `${String(failure)} ${JSON.stringify(failure)}`;
    expect(told).not.toMatch(new RegExp(`${TOKEN}|127\\.0\\.0\\.1|shippings/|ORD-1`));
  });
}

function describeQuery(method: GatewayMethod, scripted: Scripted): void {
  const send = (context: CallContext): Promise<Answer<unknown>> =>
    scripted.service.app.get(QueryBus).execute(method.query('ORD-1', context));

  it('D20 its query hands on what is complete', async () => {
    expect(await send(callContext())).toMatchObject({ completeness: COMPLETE });
  });

  it('D15 its query throws not found, or has an empty body that says why', async () => {
    scripted.upstream.respondWith(status(404));
    const completeness = { level: 'unavailable', reason: 'upstream-error' };
    if (method.finds === 'record') await expect(send(callContext())).rejects.toBeInstanceOf(ShippingNotFound);
    else expect(await send(callContext())).toMatchObject({ completeness });
  });

  it('D21 its query tells a strict caller of the failure', async () => {
    scripted.upstream.respondWith(status(500));
    const sent = send(callContext({ strict: true }));
    await expect(sent).rejects.toMatchObject({ reason: 'upstream-error' });
  });
}

function describeCalls(method: GatewayMethod): void {
  const scripted = useScriptedService({ EXTERNAL_SHIPPING_TIMEOUT_MS: '10000' });
  const ask: AskMethod = (text = 'ORD-1', context = callContext()) =>
    method.ask(scripted.service.app.get(ExternalShippingGateway), text, context);

  it('tries again where that may help', async () => {
    scripted.upstream.enqueue(status(503));
    expect(await ask()).toMatchObject({ completeness: COMPLETE });
    expect(scripted.upstream.calls).toHaveLength(2);
  });

  it('does not try again where it cannot', async () => {
    scripted.upstream.respondWith(status(400));
    await expect(ask()).rejects.toMatchObject({ reason: 'upstream-error' });
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('shares one call among identical ones that are under way, and no other', async () => {
    scripted.upstream.respondWith(delayed(100));
    await Promise.all([ask('ORD-1'), ask('ORD-1'), ask('ORD-2')]);
    expect(scripted.upstream.calls).toHaveLength(2);
  });

  it('lets go of a call that nobody waits for', async () => {
    scripted.upstream.respondWith(neverAnswers());
    const caller = new AbortController();
    const asked = ask('ORD-1', callContext({ signal: caller.signal }));
    const outcome = expect(asked).rejects.toBeInstanceOf(CallerLeft);
    await scripted.upstream.waitForCalls(1);
    caller.abort();
    await outcome;
    expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
  });
}

import type { Type } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { AbortEmitter } from '../../src/common/abort-emitter';
import { ClientDisconnectedError, UpstreamFailure, type FailureReason } from '../../src/resilience/upstream-failure';
import { ExternalShippingGateway } from '../../src/shipping/gateway/external-shipping.gateway';
import type { ShippingProtocol, UpstreamRequest } from '../../src/shipping/gateway/protocol/shipping-protocol';
import type { QueryContext } from '../../src/shipping/model/query-context';
import { COMPLETE, PARTIAL, type QueryResult } from '../../src/shipping/model/query-result';
import { ShippingNotFoundException } from '../../src/shipping/model/shipping-exceptions';
import { ShippingListQuery, type ShippingQuery } from '../../src/shipping/queries/shared/shipping-query';
import { useScriptedService } from './service';
import { callContext } from './units';
import { badJson, oversized, truncatedGzip, wrongShape } from './upstream/body-faults';
import { drips, neverResponds, resetsBeforeHeaders, resetsMidBody } from './upstream/connection-faults';
import type { Behaviour } from './upstream/exchange';
import { held } from './upstream/held';
import { anyReply } from './upstream/records';
import { empty, gzip, html, json, redirect, status } from './upstream/responses';

const TOKEN = 'hidden-credential';
const TEXT = 'ORD-1';
/** Each fault is tested by itself; time-outs that a busy machine does not reach. */
const ONE_ATTEMPT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '60000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '60000',
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
  EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: '100000',
  EXTERNAL_SHIPPING_TOKEN: TOKEN,
};

type Fault = readonly [name: string, reason: FailureReason, behaviour: Behaviour];

const SLOW: readonly Fault[] = [
  ['silence', 'upstream-timeout', neverResponds()],
  ['a body that drips past the deadline', 'upstream-timeout', drips(50)],
];
const FAULTS: readonly Fault[] = [
  ['a reset', 'upstream-unreachable', resetsBeforeHeaders()],
  ['a body that breaks off', 'bad-reply', resetsMidBody()],
  ['500', 'upstream-error', status(500)],
  ['401', 'upstream-error', status(401)],
  ['a redirect', 'bad-reply', redirect()],
  ['invalid JSON', 'bad-reply', badJson()],
  ['gzip cut short', 'bad-reply', truncatedGzip()],
  ['a body over the limit', 'bad-reply', oversized(200_000)],
  ['another shape', 'bad-reply', wrongShape('neither an object nor an array')],
  ['a web page', 'bad-reply', html()],
  ['no body', 'bad-reply', empty(200)],
];

/** A query that calls the external system. */
export interface GatewayContract<Params> {
  /** Sound parameters with this text of a client. */
  readonly params: (text: string) => Params;
  /** The method of the gateway that the query needs. */
  readonly call: 'record' | 'list' | 'page';
  /** The upstream request of the query. */
  readonly request: (params: Params) => UpstreamRequest;
  /** The class of the query; a list query has a fallback. */
  readonly query: new (params: Params, context: QueryContext) => ShippingQuery<unknown, unknown>;
  /** The default path at the external system, of the first request; `{text}` stands for the encoded text. */
  readonly externalPath: string;
  /** The query parameter that carries the text; absent where the path does, or where the protocol filters by itself. */
  readonly textParameter?: string;
  readonly wire: WireFormat;
}

/** What depends on the protocol. */
export interface WireFormat {
  readonly protocol: Type<ShippingProtocol>;
  /** Requests of one call; 1 by default. All get the same body. */
  readonly requests?: number;
  /** The body of a sound upstream response. */
  readonly sound: unknown;
  /** Headers of these responses, such as one with the total. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A text of a client that the sound records match, for a protocol that filters by itself; `ORD-1` by default. */
  readonly text?: string;
  /** Whether the protocol sends nothing for identifiers that cannot exist, such as hostile ones. */
  readonly knowsIdentifiers?: boolean;
  /** A record with a malformed weight, in a list beside a sound one. */
  readonly partlyInvalid: unknown;
  /** No record matches a lookup. */
  readonly noMatch: Behaviour;
}

type Scripted = ReturnType<typeof useScriptedService>;
type Send = (text?: string, context?: QueryContext) => Promise<QueryResult<unknown>>;

/** What every call of the external system guarantees, over the wire, and what its query returns. */
export function describeGatewayContract<Params>(contract: GatewayContract<Params>): void {
  const { params, request, wire } = contract;
  const { text: matching = TEXT } = wire;
  const isList = contract.query.prototype instanceof ShippingListQuery;
  const sendTo =
    (scripted: Scripted): Send =>
    (text = matching, context = callContext()) => {
      const gateway = scripted.service.app.get(ExternalShippingGateway);
      return gateway[contract.call](request(params(text)), context);
    };

  const useService = (env: Readonly<Record<string, string>>): Scripted => {
    const scripted = useScriptedService(env, { protocol: wire.protocol });
    beforeEach(() => {
      scripted.upstream.respondWith(json(wire.sound, wire));
    });
    return scripted;
  };

  describe(`the calls of ${contract.query.name}, with one attempt`, () => {
    const scripted = useService(ONE_ATTEMPT);
    const send = sendTo(scripted);
    describeRequests(contract, scripted, send);
    describeResponses(isList, wire, scripted, send);
    describeFaults(FAULTS, matching, scripted, send);
    describeQuery((context) => new contract.query(params(matching), context), isList, wire, scripted);
  });
  describe(`the calls of ${contract.query.name}, with a short time-out`, () => {
    const scripted = useService({ ...ONE_ATTEMPT, EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '600' });
    describeFaults(SLOW, matching, scripted, sendTo(scripted));
  });
  describe(`the calls of ${contract.query.name}, with several attempts`, () => {
    const scripted = useService({ EXTERNAL_SHIPPING_TIMEOUT_MS: '10000' });
    describeCalls(scripted, sendTo(scripted), wire);
  });
}

function describeRequests(
  { externalPath, textParameter, wire }: Pick<GatewayContract<unknown>, 'externalPath' | 'textParameter' | 'wire'>,
  scripted: Scripted,
  send: Send,
): void {
  const { text: matching = TEXT, knowsIdentifiers = false, requests = 1 } = wire;
  it('D16 sends a GET to its path, with the headers of the contract and no body', async () => {
    const context = callContext();
    await send(matching, context);
    expect(scripted.upstream.calls).toHaveLength(requests);
    expect(scripted.upstream.calls[0]?.path).toBe(externalPath.replace('{text}', matching));
    for (const { method, headers } of scripted.upstream.calls) {
      expect(method).toBe('GET');
      expect(headers).toMatchObject({
        accept: 'application/json',
        host: new URL(scripted.upstream.url).host,
        'x-request-id': context.requestId,
        traceparent: context.traceparent,
        authorization: `Bearer ${TOKEN}`,
      });
      expect(headers).not.toHaveProperty('content-length');
    }
  });

  it.each(['../../admin', '//evil.example/x', 'a?b=c&d=e#f', 'https://evil.example', 'ä +%2F%00', "$&$1{id}'"])(
    'D9 %j changes neither host nor path',
    async (text) => {
      await send(text);
      const [call] = scripted.upstream.calls;
      if (knowsIdentifiers) {
        expect(call).toBeUndefined();
        return;
      }
      expect(call?.headers.host).toBe(new URL(scripted.upstream.url).host);
      expect(call?.path).toBe(externalPath.replace('{text}', () => encodeURIComponent(text)));
      const carriers = [...(call?.params ?? [])].filter(([, value]) => value === text).map(([name]) => name);
      expect(carriers).toEqual(textParameter === undefined ? [] : [textParameter]);
    },
  );
}

function describeResponses(isList: boolean, wire: WireFormat, scripted: Scripted, send: Send): void {
  const { sound, partlyInvalid, noMatch } = wire;
  it.each<[string, Behaviour]>([
    ['as specified', json(sound, wire)],
    ['compressed', gzip(sound, wire)],
  ])('D17 reads a sound upstream response %s', async (_, behaviour) => {
    scripted.upstream.respondWith(behaviour);
    const { body, completeness } = await send();
    expect(completeness).toEqual(COMPLETE);
    expect(body).toBeDefined();
  });

  it('D19 D20 a malformed record makes the result partial', async () => {
    scripted.upstream.respondWith(json(partlyInvalid, wire));
    const body: unknown = isList ? expect.anything() : expect.objectContaining({ totalWeight: null });
    expect(await send()).toMatchObject({ completeness: PARTIAL, body });
  });

  it('D18 no match is no result of a single lookup, and 404 a failure of a list', async () => {
    scripted.upstream.respondWith(isList ? status(404) : noMatch);
    if (isList) await expect(send()).rejects.toMatchObject({ reason: 'upstream-error' });
    else expect(await send()).toMatchObject({ body: undefined, completeness: COMPLETE });
  });
}

function describeFaults(faults: readonly Fault[], matching: string, scripted: Scripted, send: Send): void {
  it.each(faults)('D18 D20 %s is %s, without host, path or credential in the error', async (_, reason, behaviour) => {
    // Sound calls before it keep the circuit closed.
    await Promise.allSettled([send('ORD-2'), send('ORD-3')]);
    scripted.upstream.respondWith(behaviour);
    const failure: unknown = await send().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UpstreamFailure);
    expect(failure).toMatchObject({ reason });
    const text = `${String(failure)} ${JSON.stringify(failure)}`;
    for (const hidden of [TOKEN, '127.0.0.1', 'shippings/', matching]) expect(text).not.toContain(hidden);
  });
}

function describeQuery(
  query: (context: QueryContext) => ShippingQuery<unknown, unknown>,
  isList: boolean,
  { noMatch }: WireFormat,
  scripted: Scripted,
): void {
  const execute = (context: QueryContext): Promise<QueryResult<unknown>> =>
    scripted.service.app.get(QueryBus).execute(query(context));

  it('D20 its query returns a complete result', async () => {
    expect(await execute(callContext())).toMatchObject({ completeness: COMPLETE });
  });

  it('D15 D20 its query throws not found, or returns the empty body with the reason', async () => {
    scripted.upstream.respondWith(isList ? status(404) : noMatch);
    const completeness = { level: 'unavailable', reason: 'upstream-error' };
    if (isList) expect(await execute(callContext())).toMatchObject({ completeness });
    else await expect(execute(callContext())).rejects.toBeInstanceOf(ShippingNotFoundException);
  });

  it('D21 its query throws the failure for a strict client', async () => {
    scripted.upstream.respondWith(status(500));
    const executed = execute(callContext({ strict: true }));
    await expect(executed).rejects.toMatchObject({ reason: 'upstream-error' });
  });
}

function describeCalls(scripted: Scripted, send: Send, wire: WireFormat): void {
  const { requests = 1 } = wire;

  it('retries a retryable failure', async () => {
    scripted.upstream.enqueue(status(503));
    expect(await send()).toMatchObject({ completeness: COMPLETE });
    expect(scripted.upstream.calls).toHaveLength(1 + requests);
  });

  it('does not retry other failures', async () => {
    scripted.upstream.respondWith(status(400));
    await expect(send()).rejects.toMatchObject({ reason: 'upstream-error' });
    expect(scripted.upstream.calls).toHaveLength(1);
  });

  it('identical calls in flight share nothing without a cache', async () => {
    const { behaviour, release } = held(json(wire.sound, wire));
    scripted.upstream.respondWith(behaviour);
    const sent = [send(), send(), send()];
    await scripted.upstream.waitForCalls(3);
    release();
    await Promise.all(sent);
    expect(scripted.upstream.calls).toHaveLength(3 * requests);
  });

  it('cancels a call whose client disconnected', async () => {
    scripted.upstream.respondWith(neverResponds());
    const client = new AbortEmitter();
    const sent = send(undefined, callContext({ signal: client }));
    const outcome = expect(sent).rejects.toBeInstanceOf(ClientDisconnectedError);
    await scripted.upstream.waitForCalls(1);
    client.abort();
    await outcome;
    expect(await scripted.upstream.calls[0]?.outcome).toBe('aborted');
  });
}

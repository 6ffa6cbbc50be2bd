import { HttpService } from '@nestjs/axios';
import { Module } from '@nestjs/common';
import * as tls from 'node:tls';
import { readSecretFile, ReloadedSecret } from '../../config/secret-file';
import { isCaching, SETTINGS, type Settings } from '../../config/settings';
import { RedisConnection } from '../../redis/redis-connection';
import { CallPolicy } from '../../resilience/call-policy';
import { CacheMetrics } from './cache/cache.metrics';
import { MemoryStore } from './cache/memory-store';
import { RedisStore } from './cache/redis-store';
import { ResultCache } from './cache/result-cache';
import { OAuthCredentials } from './credentials/oauth-credentials';
import { UpstreamCredentials } from './credentials/upstream-credentials';
import { EXTERNAL_SYSTEM, type ExternalSystem } from './external-address';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { GatewayMetrics } from './gateway.metrics';
import { ShippingProtocol } from './protocol/shipping-protocol';
import { UndiciHttpService } from './transport/undici-http.service';

/**
 * Token of the `HttpService` that calls the external system. The class itself as a token would be ambiguous: a module
 * that an application adds may import Nest's `HttpModule`, and then injects the `HttpService` of that module.
 */
export const EXTERNAL_HTTP_SERVICE = Symbol('external HttpService');

/** The gateway to the external system. */
@Module({
  providers: [
    GatewayMetrics,
    CacheMetrics,
    { provide: UpstreamCredentials, inject: [SETTINGS], useFactory: createCredentials },
    { provide: CallPolicy, inject: [SETTINGS, GatewayMetrics], useFactory: createCallPolicy },
    {
      provide: ResultCache,
      inject: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol, CacheMetrics, { token: RedisConnection, optional: true }],
      useFactory: createResultCache,
    },
    { provide: HttpService, useClass: UndiciHttpService },
    { provide: EXTERNAL_HTTP_SERVICE, useExisting: HttpService },
    ExternalShippingGateway,
  ],
  exports: [EXTERNAL_HTTP_SERVICE, ExternalShippingGateway, CallPolicy],
})
export class GatewayModule {}

/**
 * The authorities that Node trusts, those of `NODE_EXTRA_CA_CERTS` and `--use-system-ca` included: a connection with a
 * list of authorities trusts these alone. Node has the first function since 22.15; before, it cannot read the system's.
 */
function trustedByNode(): string[] {
  const { getCACertificates, rootCertificates } = tls as typeof tls & { getCACertificates?: () => string[] };
  if (getCACertificates !== undefined) return getCACertificates();
  const { text } = readSecretFile(process.env.NODE_EXTRA_CA_CERTS ?? '');
  return text === undefined ? [...rootCertificates] : [...rootCertificates, text];
}

function createCredentials({ external }: Settings): UpstreamCredentials | undefined {
  const { credentials, attemptTimeoutMs } = external;
  if (credentials.kind === 'none') return undefined;
  if (credentials.kind === 'oauth') {
    const { ca } = external.tls;
    // Beside the configured authority, Node's own are trusted: the token endpoint may have a public certificate.
    const authorities = ca === undefined ? undefined : [...trustedByNode(), ca];
    return new OAuthCredentials(credentials, attemptTimeoutMs, authorities);
  }
  const secret = new ReloadedSecret(credentials.secret, 'the credential for the external system');
  if (credentials.kind === 'token') {
    return { headers: () => ({ Authorization: `${credentials.scheme} ${secret.current}` }) };
  }
  return { headers: () => ({ [credentials.header]: secret.current }) };
}

function createCallPolicy({ external }: Settings, metrics: GatewayMetrics): CallPolicy {
  const policy = new CallPolicy(external, metrics);
  metrics.showState(() => policy.state, external);
  return policy;
}

function createResultCache(
  { cache }: Settings,
  { url }: ExternalSystem,
  protocol: ShippingProtocol,
  metrics: CacheMetrics,
  redis?: RedisConnection,
): ResultCache | undefined {
  if (!isCaching(cache)) return undefined;
  const scope = `${url.href} ${protocol.constructor.name}`;
  const keepMs = cache.ttlMs + cache.staleIfErrorMs;
  const store = redis ? new RedisStore(redis, scope, keepMs, metrics) : new MemoryStore(cache.maxBytes);
  return new ResultCache(cache, store, metrics);
}

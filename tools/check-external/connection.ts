import { HttpService } from '@nestjs/axios';
import { Global, Module, type DynamicModule, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { resolve } from 'node:path';
import { EXTERNAL_SYSTEM } from '../../src/shipping/gateway/external-system';
import { readSettings, SETTINGS, type Settings } from '../../src/config/settings';
import { MetricsModule } from '../../src/observability/metrics/metrics.module';
import { UpstreamFailure } from '../../src/resilience/upstream-failure';
import { UpstreamCredentials } from '../../src/shipping/gateway/credentials/upstream-credentials';
import { GatewayModule } from '../../src/shipping/gateway/gateway.module';
import { ShippingProtocol } from '../../src/shipping/gateway/protocol/shipping-protocol';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';
import type { ExternalHttpService } from '../../src/shipping/gateway/transport/external-http.service';
import { UpstreamSender } from '../../src/shipping/gateway/protocol/upstream-sender';
import { CheckedSystem } from './checked-system';
import { recordRequests } from './recorded-requests';

/** The check cannot run. The message is one line, without values of settings. */
export class CannotCheckError extends Error {
  override readonly name = 'CannotCheckError';
}

/** The parts of the service that talk to the external system. */
export interface Connection {
  readonly system: CheckedSystem;
  readonly baseUrl: URL;
  /** The code of the last failed connection. */
  readonly error: string | undefined;
  close(): Promise<void>;
}

/** The gateway without the rest of the service: it has no cache and no Redis. */
@Global()
@Module({})
class CheckModule {
  static register(settings: Settings, url: URL, protocol: Type<ShippingProtocol>): DynamicModule {
    const externalSystem = { url, embedded: false, stop: () => Promise.resolve() };
    return {
      module: CheckModule,
      imports: [MetricsModule, GatewayModule],
      providers: [
        { provide: SETTINGS, useValue: settings },
        { provide: EXTERNAL_SYSTEM, useValue: externalSystem },
        { provide: ShippingProtocol, useClass: protocol },
      ],
      exports: [SETTINGS, EXTERNAL_SYSTEM, ShippingProtocol],
    };
  }
}

/**
 * @param env the settings of the service
 * @param protocol path of a module with a class that extends `ShippingProtocol`, relative to the working directory
 * @param maxCalls calls beyond this number are refused
 * @throws {SettingsError} for invalid settings; {@link CannotCheckError} without an address, a protocol or an access token
 */
export async function connect(
  env: NodeJS.ProcessEnv,
  protocol: string | undefined,
  maxCalls: number,
): Promise<Connection> {
  const settings = readSettings({ ...env, CACHE_TTL_MS: '', CACHE_STALE_IF_ERROR_MS: '' });
  const { baseUrl } = settings.external;
  if (baseUrl === undefined) throw new CannotCheckError('Name the external system with --url');
  const module = CheckModule.register(
    settings,
    baseUrl,
    protocol === undefined ? StandardProtocol : await loadProtocol(protocol),
  );
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  await expectCredential(context, settings);
  const system = new CheckedSystem({
    sender: context.get(UpstreamSender, { strict: false }),
    protocol: context.get(ShippingProtocol, { strict: false }),
    settings,
    requests: recordRequests(baseUrl.origin),
    maxCalls,
  });
  const state = context.get<ExternalHttpService>(HttpService, { strict: false });
  return {
    system,
    baseUrl,
    get error() {
      return state.error;
    },
    close: () => context.close(),
  };
}

/** @throws {CannotCheckError} where the token endpoint issues no access token */
async function expectCredential(context: INestApplicationContext, { external }: Settings): Promise<void> {
  try {
    await context.get(UpstreamCredentials, { strict: false }).headers();
  } catch (error) {
    await context.close();
    if (!(error instanceof UpstreamFailure) || external.credentials.kind !== 'oauth') throw error;
    const { origin, pathname } = external.credentials.tokenUrl;
    throw new CannotCheckError(`The token endpoint ${origin}${pathname} issues no access token: ${error.message}`);
  }
}

async function loadProtocol(path: string): Promise<Type<ShippingProtocol>> {
  let exported: object;
  try {
    exported = (await import(resolve(path))) as object;
  } catch {
    throw new CannotCheckError('The module of --protocol cannot be loaded');
  }
  const found = Object.values(exported).find(isProtocolClass);
  if (found === undefined) throw new CannotCheckError('The module of --protocol has no class that extends ShippingProtocol: name the file of the class'); // prettier-ignore
  return found;
}

function isProtocolClass(value: unknown): value is Type<ShippingProtocol> {
  return typeof value === 'function' && value.prototype instanceof ShippingProtocol;
}

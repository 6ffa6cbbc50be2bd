import { Inject, Injectable, Module } from '@nestjs/common';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

export const ACCOUNT = Symbol('account');

/** A team's module, asynchronous as `ConfigModule` is, and not global. */
@Module({
  providers: [{ provide: ACCOUNT, useFactory: () => Promise.resolve({ version: '2026-01' }) }],
  exports: [ACCOUNT],
})
export class CarrierModule {}

/** A carrier without lists, which wants the version of its API and an id of each request. */
@Injectable()
export class CarrierProtocol extends StandardProtocol {
  @Inject(ACCOUNT) private readonly account: { version: string };
  override readonly parameters = ['OrderId', 'Service'];
  override readonly sortKeys = ['CreatedDate'] as const;
  override readonly unsupported = {
    paged: 'The carrier has no list of shipments.',
    details: 'The carrier has no list of shipments.',
  };

  override headers(requestId: string): Record<string, string> {
    return { 'X-Api-Version': this.account.version, transId: requestId, accept: 'application/vnd.carrier+json' };
  }
}

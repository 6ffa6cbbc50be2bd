import type { ExecutionContext } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Public } from '../common/route-metadata';
import { readSettings } from '../config/settings';
import { AuthenticationGuard } from './authentication.guard';
import type { AccessMetrics } from './rate-limiter';

class Messages {
  closed(): void {
    // Needs a credential.
  }

  @Public()
  open(): void {
    // Needs none.
  }
}

/** What Nest hands to a guard for a message (`rpc`), a WebSocket (`ws`) or a resolver of GraphQL. */
function contextOf(type: string, handler: keyof Messages): ExecutionContext {
  const host = new ExecutionContextHost([{}, {}, {}, {}], Messages, Messages.prototype[handler]);
  host.setType(type);
  return host;
}

describe.each(['rpc', 'ws', 'graphql'])('D83 the service is HTTP alone: %s', (type) => {
  const guardWith = (env: Record<string, string>): AuthenticationGuard =>
    new AuthenticationGuard(readSettings(env), {} as AccessMetrics);
  const closed = guardWith({ AUTH_API_KEYS_SHA256: '0'.repeat(64) });

  it('is refused where authentication is on', async () => {
    expect(await closed.canActivate(contextOf(type, 'closed'))).toBe(false);
  });

  it('passes where its handler is public, or authentication is off', async () => {
    expect(await closed.canActivate(contextOf(type, 'open'))).toBe(true);
    expect(await guardWith({}).canActivate(contextOf(type, 'closed'))).toBe(true);
  });
});

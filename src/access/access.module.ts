import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AccessMetrics } from './access.metrics';
import { AuthenticationGuard } from './authentication.guard';
import { RateLimiter, RateLimitGuard } from './rate-limit.guard';
import { TokenVerifier } from './token-verifier';

/** Authentication and rate limiting as guards of every route. */
@Module({
  providers: [
    AccessMetrics,
    {
      provide: TokenVerifier,
      inject: [SETTINGS],
      // The libraries of tokens and of limits take 8 and 10 MiB of memory, which a service without them does not need.
      useFactory: async ({ access: { token } }: Settings) => token && new TokenVerifier(await import('jose'), token),
    },
    {
      provide: RateLimiter,
      inject: [SETTINGS, AccessMetrics, { token: RedisConnection, optional: true }],
      useFactory: async ({ rateLimit }: Settings, metrics: AccessMetrics, redis?: RedisConnection) =>
        rateLimit && new RateLimiter(await import('rate-limiter-flexible'), rateLimit, metrics, redis),
    },
    // Nest runs guards in this order: limits count the client that authentication has found.
    // Tests of teams override the classes; `useClass` would hide them behind the token of Nest.
    AuthenticationGuard,
    RateLimitGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: RateLimitGuard },
  ],
})
export class AccessModule {}

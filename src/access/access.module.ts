import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AccessMetrics } from './access.metrics';
import { AuthenticationGuard } from './authentication.guard';
import { createRateLimiter, RateLimiter, RateLimitGuard } from './rate-limit.guard';
import { TokenVerifier } from './token-verifier';

/** Authentication and rate limiting as guards of every route. */
@Module({
  providers: [
    AccessMetrics,
    {
      provide: TokenVerifier,
      inject: [SETTINGS],
      // The library takes 8 MiB of memory, which a service without bearer tokens does not need.
      useFactory: async ({ access: { token } }: Settings) => token && new TokenVerifier(await import('jose'), token),
    },
    {
      provide: RateLimiter,
      inject: [SETTINGS, AccessMetrics, { token: RedisConnection, optional: true }],
      useFactory: createRateLimiter,
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

import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AuthenticationGuard } from './authentication.guard';
import { AccessMetrics, RateLimiter } from './rate-limiter';
import { TokenVerifier } from './token-verifier';

/** Authentication and rate limiting, by a guard of every route. */
@Module({
  providers: [
    AccessMetrics,
    {
      provide: TokenVerifier,
      inject: [SETTINGS],
      // The libraries are imported only where they are configured: `jose` takes 8 MiB of memory,
      // `rate-limiter-flexible` 10 MiB.
      useFactory: async ({ access: { token } }: Settings) => token && new TokenVerifier(await import('jose'), token),
    },
    {
      provide: RateLimiter,
      inject: [SETTINGS, AccessMetrics, { token: RedisConnection, optional: true }],
      useFactory: async ({ rateLimit }: Settings, metrics: AccessMetrics, redis?: RedisConnection) =>
        rateLimit && new RateLimiter(await import('rate-limiter-flexible'), rateLimit, metrics, redis),
    },
    // The guard is a provider of its own, so that a test can replace it by `overrideProvider(AuthenticationGuard)`. With
    // `useClass`, it would have only the token `APP_GUARD`.
    AuthenticationGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
  ],
})
export class AccessModule {}

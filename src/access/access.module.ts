import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AuthenticationGuard } from './authentication.guard';
import { AccessMetrics, RateLimiter, RateLimitGuard } from './rate-limit.guard';
import { TokenVerifier } from './token-verifier';

/** Authentication and rate limiting as guards of every route. */
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
    // Nest runs the guards in this order: the limit is that of the client whom the first guard has authenticated. Both
    // are providers of their own, so that a test can replace one by `overrideProvider(RateLimitGuard)`. With
    // `useClass`, both would have only the token `APP_GUARD`, and a test could not name one of them.
    AuthenticationGuard,
    RateLimitGuard,
    { provide: APP_GUARD, useExisting: AuthenticationGuard },
    { provide: APP_GUARD, useExisting: RateLimitGuard },
  ],
})
export class AccessModule {}

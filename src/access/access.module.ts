import { Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { isRestricted } from '../config/access.settings';
import { SETTINGS, type Settings } from '../config/settings';
import { RedisConnection } from '../redis/redis-connection';
import { AccessMetrics } from './access.metrics';
import { AuthenticationGuard } from './authentication.guard';
import { Authenticator } from './authenticator';
import { RateLimitGuard } from './rate-limit.guard';
import { RateLimiter } from './rate-limiter';

/**
 * Authentication and rate limiting as guards of every route. Routes that are not `@Public()` are closed. Guards let pass
 * what is switched off.
 */
@Module({
  providers: [
    AccessMetrics,
    {
      provide: RateLimiter,
      inject: [SETTINGS, AccessMetrics, { token: RedisConnection, optional: true }],
      useFactory: (settings: Settings, metrics: AccessMetrics, redis?: RedisConnection) =>
        settings.rateLimit && RateLimiter.create(settings, metrics, redis),
    },
    {
      provide: Authenticator,
      inject: [SETTINGS],
      useFactory: (settings: Settings) => (isRestricted(settings.access) ? Authenticator.create(settings) : undefined),
    },
    // Guards run in this order.
    { provide: APP_GUARD, useClass: AuthenticationGuard },
    { provide: APP_GUARD, useClass: RateLimitGuard },
  ],
})
export class AccessModule {}

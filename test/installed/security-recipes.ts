import cookie from '@fastify/cookie';
import csrf from '@fastify/csrf-protection';
import helmet from '@fastify/helmet';
import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  Req,
  Res,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { JwtModule, JwtService } from '@nestjs/jwt';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { get, type Recipe } from './applications.js';

@Injectable()
class JwtGuard implements CanActivate {
  constructor(private readonly jwt: JwtService) {}

  async canActivate(context: ExecutionContext) {
    const request = context.switchToHttp().getRequest();
    const [, token] = request.headers.authorization?.split(' ') ?? [];
    if (!token) throw new UnauthorizedException();
    request.user = await this.jwt.verifyAsync(token);
    return true;
  }
}

@Controller('profile')
class ProfileController {
  @Get()
  @UseGuards(JwtGuard)
  profile(@Req() request: { user: { sub: string } }) {
    return { sub: request.user.sub };
  }
}

@Controller('csrf')
class CsrfController {
  @Get()
  token(@Res({ passthrough: true }) reply: FastifyReply) {
    return { length: reply.generateCsrf().length };
  }
}

@Controller('plain')
class PlainController {
  @Get()
  plain(@Req() _: FastifyRequest) {
    return 'plain';
  }
}

export const security: Record<string, Recipe> = {
  'security/authentication': {
    imports: [JwtModule.register({ global: true, secret: 'a secret of the test' })],
    controllers: [ProfileController],
    probe: async (app) => {
      const token = await app.get(JwtService, { strict: false }).signAsync({ sub: 'somebody' });
      const authorization = `Bearer ${token}`;
      return [(await get(app, '/profile'))[0], await get(app, '/profile', { authorization })];
    },
  },
  'security/csrf': {
    controllers: [CsrfController],
    prepare: async (app) => {
      await app.register(cookie as never, { secret: 'a secret of the test' });
      await app.register(csrf as never);
    },
    probe: (app) => get(app, '/csrf'),
  },
  'security/helmet': {
    controllers: [PlainController],
    prepare: (app) => app.register(helmet as never),
    probe: (app) => get(app, '/plain', {}, 'content-security-policy', 'strict-transport-security'),
  },
  'security/rate-limiting': {
    imports: [ThrottlerModule.forRoot({ throttlers: [{ ttl: 60_000, limit: 1 }] })],
    controllers: [PlainController],
    providers: [{ provide: APP_GUARD, useClass: ThrottlerGuard }],
    probe: async (app) => [await get(app, '/plain'), (await get(app, '/plain'))[0]],
  },
};

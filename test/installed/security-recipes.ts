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
  SetMetadata,
  UnauthorizedException,
  UseGuards,
} from '@nestjs/common';
import { APP_GUARD, Reflector } from '@nestjs/core';
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

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext) {
    const roles = this.reflector.getAllAndOverride<string[]>('roles', [context.getHandler(), context.getClass()]);
    return !roles || roles.includes(context.switchToHttp().getRequest().headers['x-role']);
  }
}

@Controller('roles')
class RolesController {
  @Get('admin')
  @Roles('admin')
  admin() {
    return 'an admin';
  }

  @Get()
  anybody() {
    return 'anybody';
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
  'security/authorization': {
    controllers: [RolesController],
    providers: [{ provide: APP_GUARD, useClass: RolesGuard }],
    probe: async (app) => [
      (await get(app, '/roles/admin'))[0],
      await get(app, '/roles/admin', { 'x-role': 'admin' }),
      await get(app, '/roles'),
    ],
  },
  'security/cors': {
    controllers: [PlainController],
    prepare: (app) => app.enableCors({ origin: 'https://a.example' }),
    probe: (app) => get(app, '/plain', { origin: 'https://a.example' }, 'access-control-allow-origin'),
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

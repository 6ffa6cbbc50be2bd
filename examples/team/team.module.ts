import {
  type CallHandler,
  type CanActivate,
  Controller,
  type ExecutionContext,
  Get,
  Injectable,
  type MiddlewareConsumer,
  Module,
  type NestInterceptor,
  type NestModule,
  Req,
  SetMetadata,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Observable } from 'rxjs';
import { ApiProblem, Public } from 'shipping-query-service';

const RequiredScope = (scope: string) => SetMetadata('scope', scope);

/** A guard: metadata of the route, and the authenticated client of the request. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(execution: ExecutionContext): boolean {
    const scope = this.reflector.getAllAndOverride<string | undefined>('scope', [execution.getHandler()]);
    const { user } = execution.switchToHttp().getRequest<FastifyRequest>();
    return scope === undefined || user?.scopes.includes(scope) === true;
  }
}

/** An interceptor, here around every route. */
@Injectable()
export class VersionInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    execution.switchToHttp().getResponse<FastifyReply>().header('X-Version', '1');
    return next.handle();
  }
}

/** A controller. It needs a credential unless it is public, and its errors are problem details. */
@Controller('team')
export class TeamController {
  @Get('me')
  @RequiredScope('team:read')
  @ApiProblem({ status: 403, code: 'forbidden', detail: 'The token lacks the scope team:read.' })
  me(@Req() { user }: FastifyRequest): object {
    return { subject: user?.subject };
  }

  @Public()
  @Get('status')
  status(): object {
    return { status: 'ok' };
  }
}

@Module({
  controllers: [TeamController],
  providers: [
    { provide: APP_GUARD, useClass: ScopeGuard },
    { provide: APP_INTERCEPTOR, useClass: VersionInterceptor },
  ],
})
export class TeamModule implements NestModule {
  /** A middleware; on Fastify it gets the request and response of Node. */
  configure(consumer: MiddlewareConsumer): void {
    const middleware = (_: IncomingMessage, response: ServerResponse, next: () => void): void => {
      response.setHeader('X-Team', 'a');
      next();
    };
    consumer.apply(middleware).forRoutes('*path');
  }
}

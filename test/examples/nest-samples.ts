// As in the documentation of Nest: `npm run lint` and `npm run typecheck` accept it in folders of teams.
import {
  Body,
  CallHandler,
  CanActivate,
  Controller,
  ExecutionContext,
  Get,
  Injectable,
  NestInterceptor,
  Post,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { IsInt, IsString } from 'class-validator';
import { Observable } from 'rxjs';
import { tap } from 'rxjs/operators';

export const Roles = Reflector.createDecorator<string[]>();

@Injectable()
export class RolesGuard implements CanActivate {
  constructor(private reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const roles = this.reflector.get(Roles, context.getHandler());
    if (!roles) {
      return true;
    }
    const request = context.switchToHttp().getRequest();
    const user = request.user;
    return roles.some((role) => user.roles.includes(role));
  }
}

@Injectable()
export class LoggingInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<any> {
    const now = Date.now();
    return next.handle().pipe(tap(() => console.log(`After... ${Date.now() - now}ms`)));
  }
}

export class CreateCatDto {
  @IsString()
  name: string;

  @IsInt()
  age: number;
}

@Controller('cats')
export class CatsController {
  @Post()
  async create(@Body() createCatDto: CreateCatDto) {
    return 'This action adds a new cat';
  }
}

@Controller('health')
export class HealthController {
  constructor(private health: { check(indicators: (() => unknown)[]): Promise<unknown> }) {}

  @Get()
  check() {
    return this.health.check([() => ({ database: { status: 'up' } })]);
  }
}

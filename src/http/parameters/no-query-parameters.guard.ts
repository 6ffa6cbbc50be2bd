import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rawQueryOf } from './query-string';
import { ParameterBinder } from './parameter-binder';
import { pathOf, RouteParameters } from './parameters.pipe';

/** For routes without query parameters: those that are given are reported as ignored, and refused for strict clients. */
@Injectable()
export class NoQueryParametersGuard implements CanActivate {
  private readonly binder: ParameterBinder<object>;

  constructor(private readonly parameters: RouteParameters) {
    this.binder = new ParameterBinder(Object, (type) => parameters.resolve(type));
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const { query, strict } = execution.getArgByIndex<FastifyRequest>(0);
    const raw = rawQueryOf(query);
    if (raw === undefined) return true;
    const reply = execution.getArgByIndex<FastifyReply>(1);
    const operationWith = (name: string): string | undefined =>
      this.parameters.operationWith(name, pathOf(execution.getClass()));
    await this.binder.bindQuery({ raw, strict, reply, operationWith });
    return true;
  }
}

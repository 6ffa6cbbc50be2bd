import { SetMetadata, type CustomDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';

const IS_PUBLIC = 'isPublic';
const reflector = new Reflector();

/** Opens a controller or a route to requests without credentials. */
export const Public = (): CustomDecorator => SetMetadata(IS_PUBLIC, true);

/** Whether a route or its controller is `@Public()`. */
export function isPublic(execution: ExecutionContext): boolean {
  return reflector.getAllAndOverride<unknown>(IS_PUBLIC, [execution.getHandler(), execution.getClass()]) === true;
}

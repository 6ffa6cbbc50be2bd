import { applyDecorators, type ExecutionContext, Get, SetMetadata, Version, VERSION_NEUTRAL } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeEndpoint, ApiExtension } from '@nestjs/swagger';

const IS_PUBLIC = 'isPublic';
const FIXED_PATH = 'fixedPath';
const reflector = new Reflector();

/**
 * Opens a controller or a route to requests without credentials. `createDocument` reads the extension, and removes it
 * from the OpenAPI document.
 */
export const Public = (): ClassDecorator & MethodDecorator =>
  applyDecorators(SetMetadata(IS_PUBLIC, true), ApiExtension('x-public', true));

/** Whether a route or its controller is `@Public()`. */
export function isPublic(execution: ExecutionContext): boolean {
  return reflector.getAllAndOverride<unknown>(IS_PUBLIC, [execution.getHandler(), execution.getClass()]) === true;
}

/**
 * The route of a probe or of the metrics: it is public, served on the management port where there is one, and never
 * shed for overload. It keeps its path whatever prefix or version the application sets, because orchestrators are
 * configured with it. The OpenAPI document, which is for clients, leaves it out.
 *
 * @param onEveryPort whether the port of the operations serves it nevertheless
 */
export const ManagementRoute = (path: string, { onEveryPort = false } = {}): MethodDecorator =>
  applyDecorators(
    Get(path),
    Version(VERSION_NEUTRAL),
    SetMetadata(FIXED_PATH, path),
    RouteConfig({ purpose: 'management', onEveryPort }),
    Public(),
    ApiExcludeEndpoint(),
  );

/** The path of a {@link ManagementRoute}, which no prefix changes; `undefined` for all other handlers. */
export function fixedPathOf(handler: unknown): string | undefined {
  return typeof handler === 'function' ? (Reflect.getMetadata(FIXED_PATH, handler) as string | undefined) : undefined;
}

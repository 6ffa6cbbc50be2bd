import type { INestApplication, Type } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';

type Method = (...args: never[]) => unknown;

/** What an operation of the document is in code; its metadata say what the document cannot. */
export interface OperationHandler {
  readonly controller: Type;
  readonly handler: Method;
}

/**
 * Names operations by their methods, and by controller and method where a name is taken, and finds their handlers again.
 * Of controllers with the same name the first counts; an operation with an `operationId` of its own is not found.
 */
export class OperationHandlers {
  private readonly byRoute = new Map<string, OperationHandler>();
  private readonly byId = new Map<string, OperationHandler | undefined>();

  constructor(app: INestApplication) {
    const scanner = new MetadataScanner();
    for (const { metatype } of app.get(DiscoveryService, { strict: false }).getControllers()) {
      const controller = metatype as Type<Record<string, Method>>;
      for (const name of scanner.getAllMethodNames(controller.prototype as object)) {
        const handler = (controller.prototype as Record<string, Method>)[name];
        const route = `${controller.name}_${name}`;
        if (handler !== undefined && !this.byRoute.has(route)) this.byRoute.set(route, { controller, handler });
      }
    }
  }

  readonly operationIdFactory = (controller: string, method: string): string => {
    const route = `${controller}_${method}`;
    const id = this.byId.has(method) ? route : method;
    this.byId.set(id, this.byRoute.get(route));
    return id;
  };

  find(operationId: string | undefined): OperationHandler | undefined {
    return this.byId.get(operationId ?? '');
  }
}

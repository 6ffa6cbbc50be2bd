import { DiscoveryService } from '@nestjs/core';
import type { QueryType } from '../queries/shared/shipping-query';

/** Declares which query a route executes, so that the service does not start where no handler has it. */
export const Executes = DiscoveryService.createDecorator<QueryType>();

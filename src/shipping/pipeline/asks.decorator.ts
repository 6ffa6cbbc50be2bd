import { DiscoveryService } from '@nestjs/core';
import type { QueryType } from '../queries/shipping-query';

/** Notes which query an operation asks, so that the service can look at its start whether somebody handles it. */
export const Asks = DiscoveryService.createDecorator<QueryType>();

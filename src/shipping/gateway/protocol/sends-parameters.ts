import { DiscoveryService } from '@nestjs/core';

/**
 * Names the parameters beyond those of the specification that a query handler sends, such as
 * `@SendsParameters(['Carrier'])`. The application does not start where its `ShippingProtocol` does not read them.
 */
export const SendsParameters = DiscoveryService.createDecorator<readonly string[]>();

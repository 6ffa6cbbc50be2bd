// Adds another handler of a query that has one, as a careless merge does.
const { QueryHandler } = require('@nestjs/cqrs');
const { GetShippingSingleQuery } = require('../../src/shipping/queries/get-shipping-single/get-shipping-single.query');
const { ShippingModule } = require('../../src/shipping/shipping.module');

class AnotherSingleHandler {}
QueryHandler(GetShippingSingleQuery)(AnotherSingleHandler);
const providers = Reflect.getMetadata('providers', ShippingModule);
Reflect.defineMetadata('providers', [...providers, AnotherSingleHandler], ShippingModule);

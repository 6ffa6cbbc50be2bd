import { describeGatewayMethod } from './support/gateway-contract';
import { GATEWAY_METHODS } from './support/gateway-methods';

for (const [name, method] of Object.entries(GATEWAY_METHODS)) describeGatewayMethod(name, method);

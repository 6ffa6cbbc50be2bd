// The entry `shipping-query-service/testing`: what tests of applications that extend the service may import, see
// docs/extending.md. Everything else in this folder may change in any version.

export { describeGatewayContract, type GatewayContract, type TestFunctions } from './gateway-contract';
export { AUDIENCE, bearer, ISSUER, KeyServer } from './key-server';
export { createTestingApp, type TestingAppOptions } from './testing-app';
export type { Behaviour } from './upstream/exchange';
export type { ReceivedCall } from './upstream/received-call';
export { empty, json, status, text } from './upstream/responses';
export { ScriptedUpstream, type Script } from './upstream/scripted-upstream';

// The entry `shipping-query-service/testing`: what tests of applications that extend the service may import, see
// docs/extending.md. Everything else in this folder may change in any version.

export { describeGatewayContract } from './gateway-contract';
export { bearer, KeyServer } from './key-server';
export { createTestingApp } from './testing-app';
export { empty, json, status, text } from './upstream/responses';
export { ScriptedUpstream } from './upstream/scripted-upstream';

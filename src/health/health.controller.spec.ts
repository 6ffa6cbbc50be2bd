import { Logger } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { POLICY_SETTINGS, spyingObserver } from '../../test/support/call-policy';
import { CallPolicy } from '../resilience/call-policy';
import { CredentialState } from '../shipping/gateway/credentials/credential-state';
import { ConnectionState } from '../shipping/gateway/transport/connection-state';
import { HealthController } from './health.controller';
import { Lifecycle } from './lifecycle';

const EXTERNAL_SYSTEM = { circuits: {}, inFlight: 0, waiting: 0, connectionError: null, credentialRefusals: {} };

// Failed connections are logged.
Logger.overrideLogger(false);

describe('HealthController', () => {
  const lifecycle = new Lifecycle();
  const controller = new HealthController(
    lifecycle,
    new CallPolicy(POLICY_SETTINGS, spyingObserver()),
    new ConnectionState(),
    new CredentialState(),
  );

  function ready(): { code: number; body: unknown } {
    let code = 200;
    const reply = { status: (value: number) => (code = value) };
    return { body: controller.getReadiness(reply as unknown as FastifyReply), code };
  }

  it('D25 is ready between its start and its draining, and alive throughout', () => {
    const stages: [act: () => void, code: number, status: string][] = [
      [() => undefined, 503, 'starting'],
      [() => { lifecycle.started(); }, 200, 'ready'],
      [() => { lifecycle.draining(); }, 503, 'draining'],
      [() => { lifecycle.started(); }, 503, 'draining'],
    ]; // prettier-ignore
    for (const [act, code, status] of stages) {
      act();
      expect(ready()).toEqual({ code, body: { status, externalSystem: EXTERNAL_SYSTEM } });
      expect(controller.getLiveness()).toEqual({ status: 'ok' });
    }
  });
});

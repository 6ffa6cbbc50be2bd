import { readSettings } from '../../src/config/settings';
import type { CallObserver } from '../../src/resilience/call-policy';
import { callPolicySettings } from '../../src/resilience/call-policy.settings';

/** The settings of a call policy where nothing is configured. */
export const POLICY_SETTINGS = callPolicySettings(readSettings({}).external);

/** An observer of a call policy, with the events that it got. */
export function spyingObserver(): { [Method in keyof CallObserver]: jest.Mock } {
  return {
    attemptSettled: jest.fn(),
    connectionReplaced: jest.fn(),
    retried: jest.fn(),
    queued: jest.fn(),
    refused: jest.fn(),
  };
}

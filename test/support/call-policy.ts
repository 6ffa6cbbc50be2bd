import { readSettings } from '../../src/config/settings';
import type { CallObserver, CallPolicySettings } from '../../src/resilience/call-policy';

/** The settings of a call policy where nothing is configured. */
export const POLICY_SETTINGS: CallPolicySettings = readSettings({}).external;

/** An observer of a call policy, with the events that it got. */
export function spyingObserver(): { [Method in keyof CallObserver]: jest.Mock } {
  return { attemptSettled: jest.fn(), queued: jest.fn(), event: jest.fn() };
}

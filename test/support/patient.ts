/** Settings of a service that waits for the external system however slow the machine is. */
export const PATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '50000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50000',
};

/** The deadline of an attempt with the settings below; no other wait has this length, so that tests can hold it. */
export const ATTEMPT_MS = 40_000;
export const ONE_HELD_ATTEMPT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '50000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: String(ATTEMPT_MS),
  EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
};

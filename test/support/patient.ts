/** Settings of a service that waits for the external system however slow the machine is. */
export const PATIENT = {
  EXTERNAL_SHIPPING_TIMEOUT_MS: '50000',
  EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50000',
};

import { Logger } from '@nestjs/common';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNING_DAYS = 14;

/**
 * Warns at start and once a day where the client certificate, which is read at start, expires within 14 days.
 *
 * @returns a function that ends the warnings
 */
export function warnOfExpiry(validTo: string): () => void {
  const expiresAt = Date.parse(validTo);
  const warn = (): void => {
    const days = (expiresAt - Date.now()) / DAY_MS;
    if (days > WARNING_DAYS) return;
    const date = new Date(expiresAt).toISOString().slice(0, 10);
    const verb = days > 0 ? 'expires' : 'expired';
    new Logger('ClientCertificate').warn(`The client certificate for the external system ${verb} on ${date}`);
  };
  warn();
  const timer = setInterval(warn, DAY_MS).unref();
  return () => {
    clearInterval(timer);
  };
}

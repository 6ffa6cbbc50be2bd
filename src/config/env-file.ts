import { existsSync } from 'node:fs';

/**
 * Adds the variables of `.env` in the working directory to the environment, whose own variables win. Does nothing in
 * production.
 *
 * @throws Error where the file cannot be read
 */
export function loadEnvFile(): void {
  if (process.env.NODE_ENV !== 'production' && existsSync('.env')) process.loadEnvFile();
}

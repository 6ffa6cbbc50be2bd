/** The environment does not describe a service that can start. `message` lists all errors and contains no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly errors: readonly string[]) {
    super(`Bad settings:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
  }
}

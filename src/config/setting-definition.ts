/** The longest delay of a timer of Node. */
export const MAX_TIMER_MS = 2_147_483_647;
export const DAY_MS = 86_400_000;
export const PORTS = { min: 0, max: 65_535 } as const;

/** A variable that was read, as docs/settings.md shows it. */
export interface SettingDefinition {
  readonly name: string;
  readonly section: string;
  /** `undefined` where there is no default. */
  readonly default: string | undefined;
  readonly allowed: string;
  readonly help: string;
}

export interface Help {
  /** The meaning of the variable in one sentence, in Markdown. */
  readonly help: string;
}

export interface WithDefault<T> extends Help {
  readonly default: T;
}

export interface TextSetting extends Help {
  readonly default?: string;
  /** How the allowed values are documented. */
  readonly allowed?: string;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The environment does not describe a service that can start. `message` lists all errors and contains no value. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly errors: readonly string[]) {
    super(`Bad settings:\n${errors.map((error) => `  - ${error}`).join('\n')}`);
  }
}

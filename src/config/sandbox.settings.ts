import { isIP } from 'node:net';
import { EnvironmentReader } from './environment-reader';
import { PORTS } from './setting-definition';

/** The query rules that the sandbox can follow. */
export const SANDBOX_VARIANTS = ['extended', 'basic'] as const;
export type SandboxVariant = (typeof SANDBOX_VARIANTS)[number];

/** What the embedded sandbox is started with. */
export type SandboxSettings = ReturnType<typeof readSandbox>;

export function readSandbox(reader: EnvironmentReader) {
  reader.section('Embedded sandbox');
  return Object.freeze({
    port: reader.integer('SANDBOX_PORT', { default: 0, ...PORTS, help: 'Port of the sandbox; 0: any free port.' }),
    records: reader.integer('SANDBOX_RECORDS', {
      default: 2000,
      min: 1,
      max: 100_000,
      help: 'Number of records in the sandbox.',
    }),
    variant: reader.choice('SANDBOX_VARIANT', SANDBOX_VARIANTS, {
      default: 'extended',
      help: 'Query rules of the sandbox: whether searches match order ids too and ignore case, and lists leave out soft-deleted records.',
    }),
  });
}

/**
 * The settings of a sandbox that runs alone, with `SANDBOX_HOST`, the address of the interface that it listens on.
 *
 * @throws {SettingsError} where a variable is invalid
 */
export function readSandboxSettings(env: NodeJS.ProcessEnv): SandboxSettings & { readonly host: string } {
  const reader = new EnvironmentReader(env);
  const settings = readSandbox(reader);
  const host = reader.text('SANDBOX_HOST', { default: '127.0.0.1', help: 'Address that the sandbox listens on.' });
  if (isIP(host) === 0) reader.addError('SANDBOX_HOST', 'must be an IP address');
  reader.throwErrors();
  return { ...settings, host };
}

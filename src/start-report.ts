import type { Logger } from 'pino';

/** Where the service listens, and what it calls. Addresses are URLs. */
export interface StartFacts {
  readonly address: string;
  /** `undefined`: no Swagger page is served. */
  readonly docs: string | undefined;
  readonly externalSystem: string;
  readonly embeddedSandbox: boolean;
}

/** Logs that the service listens: one line for programs, or three for people. */
export function reportStart(logger: Logger, facts: StartFacts, isPretty: boolean): void {
  const { address, docs, externalSystem, embeddedSandbox } = facts;
  const sandbox = embeddedSandbox ? 'embedded sandbox ' : '';
  if (isPretty) {
    logger.info(`Service:         ${address}`);
    logger.info(`Documentation:   ${docs ?? 'off'}`);
    logger.info(`External system: ${sandbox}${externalSystem}`);
    return;
  }
  const docsText = docs === undefined ? '' : `, docs at ${docs}`;
  logger.info(facts, `Listening on ${address}${docsText}, external system ${sandbox}${externalSystem}`);
}

import type { ScriptedUpstream } from '../../test/support/upstream/scripted-upstream';
import type { HostileClients } from './hostile-clients';
import type { Outcome } from './load';
import type { ServiceUnderTest } from './subject';

/** What takes part in one scenario; the external system may go away and come back on the same port. */
export interface Stage {
  upstream: ScriptedUpstream;
  readonly service: ServiceUnderTest;
  readonly clients: HostileClients;
}

/** Where the service believes the external system to be. */
export type Site = 'plain' | 'tls' | 'dns';

export interface Scenario {
  readonly name: string;
  readonly site: Site;
  /** Part of the short form. */
  readonly short: boolean;
  /** Settings of the service, where they are not those of the proof. */
  readonly env?: Readonly<Record<string, string>>;
  /** The reasons that clients may get, the refusals of an open circuit aside. Empty: every client is served. */
  readonly reasons: readonly string[];
  /** Completeness of the responses that are allowed to be good while the fault lasts; `undefined`: none. */
  readonly good?: 'complete' | 'partial';
  readonly noMatch?: boolean;
  /** Whether requests beyond a bound are refused with 503 `overloaded`. */
  readonly refuses?: boolean;
  /** Whether clients use all processor time there is: its own promise counts requests instead of milliseconds. */
  readonly exhausts?: boolean;
  /** How long it lasts, where that is more than usual. */
  readonly lastsMs?: number;
  begin(stage: Stage): Promise<void> | void;
  /** Looks at the end of the fault whether its own promise was kept. @returns how it was broken, or `undefined` */
  broken?(stage: Stage, responses: readonly Outcome[]): Promise<string | undefined> | string | undefined;
  end(stage: Stage): Promise<void> | void;
}

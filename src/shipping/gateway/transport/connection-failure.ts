import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import { noConnection } from '../../../resilience/http-failures';
import { UpstreamFailure } from '../../../resilience/upstream-failure';

/** What this process or its machine lacks where a connection cannot be opened, and what to do, by the code of the error. */
const SHORTAGES = new Map([
  ['EMFILE', 'this process has too few file descriptors: raise its limit (LimitNOFILE of systemd, ulimit -n)'],
  ['ENFILE', 'this machine has too few file descriptors: raise fs.file-max'],
  ['EADDRNOTAVAIL', 'this machine has no port or no address left for connections: look for many in TIME_WAIT'],
  ['ENOBUFS', 'this machine has too little memory for connections'],
  ['ENOMEM', 'this machine has too little memory for connections'],
]);

/** Errors of looking up a host name. */
const LOOK_UP = /^(ENOTFOUND|EAI_)/;

/** An error of Node; where it has tried several addresses, `errors` has that of each. */
type ConnectionError = Pick<NodeJS.ErrnoException, 'code' | 'name'> & { readonly errors?: readonly Error[] };

/**
 * The failure of a connection that could not be opened. Where this process lacks what a connection needs, it is no
 * failure of the external system: it is `internal`, and counts neither way for the circuit (D57).
 */
export function connectionFailure(error: ConnectionError): UpstreamFailure {
  const codes = (error.errors ?? [error]).map(({ code, name }: ConnectionError) => code ?? name);
  const code = codes.find((each) => !SHORTAGES.has(each)) ?? error.code ?? error.name;
  // Where no file can be opened, the resolver cannot read its configuration, and reports every host as unknown.
  const lacked = LOOK_UP.test(code) ? codeOfOpening() : code;
  const shortage = SHORTAGES.get(lacked);
  if (shortage === undefined) return noConnection(code);
  return new UpstreamFailure('internal', `no connection could be opened: ${lacked}, ${shortage}`, { retryable: true });
}

/** The code of the error of opening a file; empty where a file can be opened. */
function codeOfOpening(): string {
  try {
    closeSync(openSync(devNull, 'r'));
    return '';
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

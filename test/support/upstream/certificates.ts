import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(__dirname, 'certificates');

/** The authority that issued {@link sound}, {@link expired} and {@link wrongHost}, for clients that are to trust it. */
export const authority = read('authority.cert.pem');

/** Where {@link authority} lies, for `NODE_EXTRA_CA_CERTS`. */
export const authorityFile = join(DIRECTORY, 'authority.cert.pem');

/** In order for 127.0.0.1 and localhost, as far as the client trusts the authority. */
export const sound = keyAnd('sound');

/** As {@link sound}, but valid in January 2020 only. */
export const expired = keyAnd('expired');

/** As {@link sound}, but for another host. */
export const wrongHost = keyAnd('wrong-host');

/** For the right host, issued by nobody but itself. */
export const selfSigned = keyAnd('self-signed');

/** Client certificates of {@link authority}, each with a key of its own; the names are their subjects. */
export const clientCertificates = {
  client: keyAnd('client', 'client'),
  'next-client': keyAnd('next-client', 'next-client'),
} as const;

function keyAnd(name: string, key = 'leaf'): { readonly key: string; readonly cert: string } {
  return { key: read(`${key}.key.pem`), cert: read(`${name}.cert.pem`) };
}

function read(file: string): string {
  return readFileSync(join(DIRECTORY, file), 'utf8');
}

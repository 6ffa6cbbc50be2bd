import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const DIRECTORY = join(__dirname, 'certificates');

/** The authority that issued {@link validCertificate}, {@link expired} and {@link wrongHost}, for clients that trust it. */
export const authority = read('authority.cert.pem');

/** The path of {@link authority}, for `NODE_EXTRA_CA_CERTS`. */
export const authorityFile = join(DIRECTORY, 'authority.cert.pem');

/** Valid for 127.0.0.1 and localhost where the client trusts the authority. */
export const validCertificate = keyAnd('valid');

/** Like {@link validCertificate}, but valid in January 2020 only. */
export const expired = keyAnd('expired');

/** Like {@link validCertificate}, but for another host. */
export const wrongHost = keyAnd('wrong-host');

/** Valid for the host, but signed by its own key instead of an authority. */
export const selfSigned = keyAnd('self-signed');

/** Client certificates issued by {@link authority}, each with a key of its own; the names are their subjects. */
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

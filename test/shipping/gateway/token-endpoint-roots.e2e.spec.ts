import type * as tls from 'node:tls';
import { expectResponse } from '../../support/expected';
import { useFolder } from '../../support/folder';
import { DETAILS } from '../../support/operations';
import { PATIENT, useClosing, useStart } from '../../support/service';
import { TokenServer } from '../../support/token-server';
import { authority, authorityFile, selfSigned, validCertificate } from '../../support/upstream/certificates';

/** What Node trusts by itself; a test puts the authority of the token endpoint there. */
const mockTrusted: { rootCertificates: string[]; getCACertificates: (() => string[]) | undefined } = {
  rootCertificates: [],
  getCACertificates: undefined,
};
jest.mock('node:tls', () => {
  const actual = jest.requireActual<typeof tls>('node:tls');
  return Object.defineProperties(Object.assign({}, actual), {
    rootCertificates: { get: () => mockTrusted.rootCertificates },
    getCACertificates: { enumerable: true, get: () => mockTrusted.getCACertificates },
  });
});

const [start, closedLater] = [useStart(PATIENT), useClosing()];
const { file } = useFolder();
const { NODE_EXTRA_CA_CERTS: before } = process.env;
afterAll(() => {
  if (before === undefined) delete process.env.NODE_EXTRA_CA_CERTS;
  else process.env.NODE_EXTRA_CA_CERTS = before;
});

it.each<[string, Partial<typeof mockTrusted>, string]>([
  ['all that Node trusts, where Node tells', { getCACertificates: () => [authority] }, ''],
  ['the roots of Node, where it does not', { rootCertificates: [authority] }, ''],
  ['the file of NODE_EXTRA_CA_CERTS as well', {}, authorityFile],
])('D35 the token endpoint is trusted by %s', async (_, trusted, extra) => {
  Object.assign(mockTrusted, { rootCertificates: [], getCACertificates: undefined, ...trusted });
  process.env.NODE_EXTRA_CA_CERTS = extra;
  const tokens = closedLater(await TokenServer.start(validCertificate));
  const scripted = await start({ ...tokens.env, EXTERNAL_SHIPPING_CA_FILE: file('ca.pem', selfSigned.cert) });
  expectResponse(await scripted.service.request(DETAILS.request), 'complete');
  expect(scripted.upstream.calls[0]?.headers.authorization).toBe('Bearer hidden-credential-1');
});

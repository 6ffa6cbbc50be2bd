import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as tls from 'node:tls';
import { DETAILS, expectAnswer, PATIENT } from './support/operations';
import { startScriptedService } from './support/service';
import { TokenServer } from './support/token-server';
import { authority, selfSigned, sound } from './support/upstream/certificates';
import { json } from '../testing/upstream/responses';

/** Node trusts the authority of the tests, as it does public ones. */
jest.mock('node:tls', () => {
  const actual = jest.requireActual<typeof tls>('node:tls');
  const { authority: root } = jest.requireActual<{ authority: string }>('./support/upstream/certificates');
  return { ...actual, rootCertificates: [root] };
});

it('D35 the token endpoint is trusted by the roots of Node, beside a configured authority', async () => {
  expect(selfSigned.cert).not.toBe(authority);
  const folder = mkdtempSync(join(tmpdir(), 'roots-'));
  const file = join(folder, 'ca.pem');
  writeFileSync(file, selfSigned.cert);
  const tokens = await TokenServer.start(sound);
  const scripted = await startScriptedService({ ...PATIENT, ...tokens.env, EXTERNAL_SHIPPING_CA_FILE: file });
  try {
    scripted.upstream.respondWith(json());
    expectAnswer(await scripted.service.request(DETAILS.request), 'complete');
    expect(scripted.upstream.calls[0]?.headers.authorization).toBe('Bearer hidden-credential-1');
  } finally {
    await scripted.close();
    await tokens.close();
    rmSync(folder, { recursive: true });
  }
});

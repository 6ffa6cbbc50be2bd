import * as jose from 'jose';
import { useStarted } from '../../test/support/started';
import { KeyServer } from '../../testing/key-server';
import { readSettings } from '../config/settings';
import { TokenVerifier } from './token-verifier';

const keyServer = useStarted(() => KeyServer.start());
let verifier: TokenVerifier;
beforeEach(() => {
  const { token } = readSettings({ ...keyServer().env, EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9' }).access;
  if (token === undefined) throw new Error('No settings for tokens');
  verifier = new TokenVerifier(jose, token);
});

/** Whether a token has to be verified. */
async function isVerified(token: string): Promise<boolean> {
  let before = false;
  const { user } = await verifier.verify(token, () => Promise.resolve(void (before = true)));
  expect(user?.subject).toBeDefined();
  return before;
}

/** How many of so many tokens with these claims are remembered when all were verified. */
async function remembered(count: number, claims: Record<string, unknown>): Promise<number> {
  const tokens: string[] = [];
  for (let index = 0; index < count; index += 1) tokens.push(await keyServer().sign({ ...claims, sub: `S-${index}` }));
  for (const token of tokens) expect(await isVerified(token)).toBe(true);
  let known = 0;
  // The newest first: verifying one that is forgotten may push out another, but none of those before it.
  for (const token of tokens.reverse()) if (!(await isVerified(token))) known += 1;
  return known;
}

const empty = Array.from({ length: 2500 }, () => ({}));

it('D76 remembers tokens up to 16 MiB of memory, whatever their claims are', async () => {
  expect(await remembered(200, { roles: ['reader'] })).toBe(200);
  const known = await remembered(150, { roles: empty });
  expect(known).toBeGreaterThan(16_777_216 / (100 * empty.length));
  expect(known).toBeLessThan(16_777_216 / (56 * empty.length));
});

import { Logger } from '@nestjs/common';
import * as jose from 'jose';
import { useStarted } from '../../test/support/started';
import { KeyServer } from '../../testing/key-server';
import { readSettings } from '../config/settings';
import { TokenVerifier } from './token-verifier';

/** Two tokens are remembered instead of 10,000, so that the test can exceed their number. */
jest.mock('lru-cache', () => {
  const { LRUCache } = jest.requireActual<typeof import('lru-cache')>('lru-cache');
  class Small extends LRUCache<string, true> {
    constructor(options: { max: number }) {
      super({ ...options, max: options.max / 5000 });
    }
  }
  return { LRUCache: Small };
});

Logger.overrideLogger(false);

const keyServer = useStarted(() => KeyServer.start());

it('D76 remembers a bounded number of tokens, and verifies the one that was sent longest ago again', async () => {
  const { token: settings } = readSettings({
    ...keyServer().env,
    EXTERNAL_SHIPPING_BASE_URL: 'http://127.0.0.1:9',
  }).access;
  if (settings === undefined) throw new Error('No settings for tokens');
  const verifier = new TokenVerifier(jose, settings);
  const [stays, goes, fresh] = await Promise.all(
    ['stays', 'goes', 'new'].map((sub) => keyServer().sign({ sub, roles: ['reader'] })),
  );
  const verified: string[] = [];
  for (const token of [stays, goes, stays, fresh, stays, goes] as string[]) {
    const { sub } = jose.decodeJwt(token);
    const { user } = await verifier.verify(token, async () => {
      await Promise.resolve(verified.push(String(sub)));
    });
    expect([user?.subject, user?.claims.roles]).toEqual([sub, ['reader']]);
  }
  expect(verified).toEqual(['stays', 'goes', 'new', 'goes']);
});

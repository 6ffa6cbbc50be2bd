import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const path = join(__dirname, '../../package.json');

export const { version: VERSION } = JSON.parse(readFileSync(path, 'utf8')) as { readonly version: string };

/**
 * `User-Agent` of every request to the external system and its token endpoint (D16): common firewalls refuse requests
 * without one.
 */
export const USER_AGENT = `shipping-query-service/${VERSION}`;

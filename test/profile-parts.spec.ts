import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { busyTime, PARTS } from '../measure/bench/profile-parts';

const FILES = readdirSync(join(__dirname, '../src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts'))
  .map((path) => `OURS/${path.replace(/\.ts$/, '.js')}`);

/** The part of the innermost of these functions, outermost first. */
function partOf(...frames: [functionName: string, url: string][]): string | undefined {
  const nodes = frames.map(([functionName, url], id) => ({
    id,
    callFrame: { functionName, url, lineNumber: 0 },
    children: id + 1 < frames.length ? [id + 1] : [],
  }));
  const { parts } = busyTime({ nodes, samples: [0, frames.length - 1], timeDeltas: [0, 1] });
  return [...parts.keys()].at(-1);
}

describe('the parts of a profile', () => {
  it('every part of the service has files', () => {
    const ours = PARTS.filter(([, sign]) => sign.source.includes('OURS')).map(([part]) => part);
    const found = FILES.map((file) => PARTS.find(([, sign]) => sign.test(file))?.[0]);
    expect(found).toEqual(expect.arrayContaining(ours));
  });

  it.each([
    ['call policy', 'file:///srv/dist/resilience/call-policy.js'],
    ['mapping', 'file:///srv/dist/shipping/gateway/protocol/response-mapping.js'],
    ['gateway', 'file:///srv/dist/shipping/gateway/external-shipping.gateway.js'],
    ['ETag', 'file:///srv/dist/http/etag.js'],
    ['metrics', 'file:///srv/dist/http/request.metrics.js'],
    ['headers, ids and links', 'file:///srv/dist/shipping/http/page-links.js'],
    ['rest of the service', 'file:///srv/dist/common/bounds.js'],
    ['undici', 'file:///srv/node_modules/undici/lib/core/util.js'],
  ])('%s: %s', (part, url) => {
    expect(partOf(['run', url])).toBe(part);
  });

  it('counts built-in functions and WebAssembly for their caller', () => {
    const undici: [string, string] = ['execute', 'file:///srv/node_modules/undici/lib/dispatcher/client-h1.js'];
    const hash: [string, string] = ['h64', 'file:///srv/node_modules/xxhash-wasm/cjs/xxhash-wasm.cjs'];
    expect(partOf(undici, ['js-to-wasm:iii:i', 'wasm://wasm/1'])).toBe('undici');
    expect(partOf(hash, ['js-to-wasm:iii:i', 'wasm://wasm/2'], ['slice', ''])).toBe('ETag');
  });
});

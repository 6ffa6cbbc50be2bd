import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFaults, type LockFile } from './lock-faults';

describe('lockFaults', () => {
  it('package-lock.json has none', () => {
    const text = readFileSync(join(__dirname, '../package-lock.json'), 'utf8');
    expect(lockFaults(JSON.parse(text) as LockFile)).toEqual([]);
  });

  it('names entries without a strong checksum', () => {
    const binary = { dev: true, optional: true, os: ['darwin'], cpu: ['arm64'] };
    const packages = {
      '': {},
      good: { integrity: 'sha512-abc' },
      foreign: binary,
      none: {},
      weak: { integrity: 'sha1-abc' },
      product: { ...binary, dev: false },
    };
    expect(lockFaults({ packages })).toEqual(['none', 'weak', 'product']);
  });
});

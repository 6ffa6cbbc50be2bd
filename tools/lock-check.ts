import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFaults, type LockFile } from './lock-faults';

/** Exits with 1 where an entry of package-lock.json has no checksum. */

const lock = JSON.parse(readFileSync(join(__dirname, '..', 'package-lock.json'), 'utf8')) as LockFile;
const faults = lockFaults(lock);
for (const fault of faults) process.stderr.write(`${fault} has no integrity\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** The parts of package-lock.json that matter here. */
export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

interface LockEntry {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
}

/**
 * The entries without a strong checksum. Development binaries of other platforms are exceptions: npm leaves their checksums out
 * where the file was written on a platform that does not install them. The image contains none of them.
 */
export function lockFaults({ packages }: LockFile): string[] {
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && entry.link !== true && !isChecked(entry) && !isForeignBinary(entry))
    .map(([path]) => path);
}

function isChecked({ integrity }: LockEntry): boolean {
  return integrity?.startsWith('sha512-') === true;
}

function isForeignBinary({ integrity, dev, optional, os, cpu }: LockEntry): boolean {
  return integrity === undefined && dev === true && optional === true && os !== undefined && cpu !== undefined;
}

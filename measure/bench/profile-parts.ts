interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** What V8 writes, as far as it is of use here. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** Shares of the time in which the process was busy. */
export interface BusyTime {
  readonly parts: ReadonlyMap<string, number>;
  readonly functions: ReadonlyMap<string, number>;
  readonly idleShare: number;
}

const IDLE = '(idle)';

/** Tried in this order against the name of a function and its file. */
export const PARTS: readonly (readonly [part: string, sign: RegExp])[] = [
  ['garbage collection', /^\(garbage collector\)/],
  ['native code and system calls', /^\((program|root)\)/],
  ['socket writes', /^(writev|writeBuffer|writeUtf8String|writeLatin1String|writeAsciiString|shutdown) $/],
  ['JSON parsing', /^parse $|response-parser\.js/],
  ['serialisation', /^stringify $|fast-json-stringify|serialize fastify\/lib\/reply/],
  ['ETag', /xxhash|OURS\/http\/(etag|encoded-body)/],
  ['mapping', /OURS\/(shipping\/(gateway\/protocol|model)|common\/iso-date)/],
  ['validation', /OURS\/http\/(parameters|query-string)|OURS\/shipping\/queries\/shared|class-validator/],
  ['call policy', /OURS\/resilience/],
  ['gateway', /OURS\/shipping\/gateway/],
  ['metrics', /OURS\/(observability\/metrics|http\/request\.metrics)|prom-client/],
  ['logging', /OURS\/(http\/request-log|observability\/logging)|pino|quick-format|node:fs/],
  ['headers, ids and links', /OURS\/(http|shipping\/http)/],
  ['rest of the service', /OURS\//],
  ['axios', /axios/],
  ['undici', /undici/],
  ['Nest router and bus', /@nestjs\/|rxjs|reflect-metadata/],
  ['Fastify', /fastify|find-my-way|avvio|light-my-request/],
  ['timers and promises', /node:(internal\/)?(timers|process\/task_queues|process\/promises)/],
  ['Node http and sockets', /node:(_http|net|http|internal\/(stream|http)|_stream|stream|events|buffer|internal\/buffer)/],
]; // prettier-ignore

/** Adds up the samples of the later half of a profile. */
export function busyTime({ nodes, samples, timeDeltas }: CpuProfile): BusyTime {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const parts = new Map<string, number>();
  const functions = new Map<string, number>();
  const half = timeDeltas.reduce((sum, delta) => sum + delta, 0) / 2;
  let [elapsed, busy, idle] = [0, 0, 0];
  samples.forEach((id, index) => {
    const delta = timeDeltas[index] ?? 0;
    const node = byId.get(id);
    elapsed += delta;
    if (elapsed < half || node === undefined) return;
    if (node.callFrame.functionName === IDLE) {
      idle += delta;
      return;
    }
    busy += delta;
    add(functions, nameOf(node), delta);
    add(
      parts,
      partOf(node, (child) => byId.get(parents.get(child.id) ?? -1)),
      delta,
    );
  });
  return { parts: shares(parts, busy), functions: shares(functions, busy), idleShare: idle / (busy + idle) };
}

/** The largest shares, in order. */
export function largest(shares: ReadonlyMap<string, number>, count: number): readonly (readonly [string, number])[] {
  return [...shares].sort(([, a], [, b]) => b - a).slice(0, count);
}

/** By the innermost function that belongs to a part; built-in functions and WebAssembly count for their caller. */
function partOf(node: ProfileNode, parentOf: (child: ProfileNode) => ProfileNode | undefined): string {
  for (let at: ProfileNode | undefined = node; at !== undefined; at = parentOf(at)) {
    const name = `${at.callFrame.functionName} ${fileOf(at)}`;
    const found = PARTS.find(([, sign]) => sign.test(name));
    if (found !== undefined) return found[0];
    if (at.callFrame.url !== '' && !at.callFrame.url.startsWith('wasm:')) return 'rest';
  }
  return 'rest';
}

function nameOf(node: ProfileNode): string {
  const { functionName, lineNumber } = node.callFrame;
  const file = fileOf(node);
  return `${functionName === '' ? '(anonymous)' : functionName}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`;
}

function fileOf({ callFrame: { url } }: ProfileNode): string {
  const inPackage = url.lastIndexOf('node_modules/');
  return inPackage === -1 ? url.replace(/^.*\/dist\//, 'OURS/') : url.slice(inPackage + 'node_modules/'.length);
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

function shares(sums: ReadonlyMap<string, number>, whole: number): Map<string, number> {
  return new Map([...sums].map(([name, value]) => [name, value / whole]));
}

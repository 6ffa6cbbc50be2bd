import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/config/settings';
import { refusedUrl } from '../support/upstream/refused-url';
import { RunningService } from '../support/service';
import { read } from './support/files';

/** An instruction of a Dockerfile; `stage` counts from 0. */
interface Instruction {
  readonly name: string;
  readonly text: string;
  readonly stage: number;
}

/** Instructions in their order, lines that go on joined, comments left out, build arguments with defaults put in. */
function parseDockerfile(source: string): Instruction[] {
  const lines = source.replace(/^\s*#.*\n/gm, '').replace(/\\\n\s*/g, '').split('\n'); // prettier-ignore
  const defaults = new Map<string, string>();
  let stage = -1;
  return lines.filter((line) => line.trim() !== '').map((line) => {
    const [, name = '', rest = ''] = /^([A-Za-z]+)\s+(.*)$/.exec(line) ?? [];
    const text = rest.replace(/\$\{(\w+)\}/g, (whole, argument: string) => defaults.get(argument) ?? whole);
    if (name === 'ARG') defaults.set(text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1));
    if (name === 'FROM') stage += 1;
    return { name, text, stage };
  }); // prettier-ignore
}

/** The command of an instruction in exec form; `undefined` where a shell would come in between. */
function execForm(text: string): string[] | undefined {
  const from = text.indexOf('[');
  if (from === -1 || !/^(?:--\S+\s+)*(?:CMD\s+)?$/.test(text.slice(0, from))) return undefined;
  try {
    return JSON.parse(text.slice(from)) as string[];
  } catch {
    return undefined;
  }
}

/** What is wrong with the image that a Dockerfile describes. */
function dockerfileFaults(source: string): string[] {
  const instructions = parseDockerfile(source);
  const last = Math.max(...instructions.map(({ stage }) => stage));
  const final = instructions.filter(({ stage }) => stage === last);
  const valueOf = (name: string): string | undefined => final.findLast((each) => each.name === name)?.text;
  const bases = instructions.filter(({ name }) => name === 'FROM').map(({ text }) => text.split(' ')[0] ?? '');
  const health = valueOf('HEALTHCHECK');
  const rules: [fault: string, isBroken: boolean][] = [
    ['a base image is not pinned to an exact version', !bases.every((base) => /:\d+\.\d+\.\d+-\w+/.test(base))],
    ['one stage alone', bases.length < 2],
    ['runs as root or as a user without a number', !/^[1-9]\d*(:[1-9]\d*)?$/.test(valueOf('USER') ?? '')],
    ['no health check', health === undefined || health === 'NONE'],
    ['the health check needs a shell', execForm(health ?? '') === undefined],
    ['the health check needs a program that the base image lacks', /curl|wget/.test(health ?? '')],
    ['the command needs a shell, which keeps SIGTERM to itself', execForm(valueOf('CMD') ?? '') === undefined],
    ['the command starts npm, which keeps SIGTERM to itself', (valueOf('CMD') ?? '').includes('npm')],
    ['stops by another signal', valueOf('STOPSIGNAL') !== 'SIGTERM'],
    ['packages not by the lock file', instructions.some(({ text }) => /npm (install|i)\b/.test(text))],
    ['development packages', !final.some(({ text }) => /--from=dependencies .*node_modules/.test(text)) || !instructions.some(({ text }) => /npm ci .*--omit=dev/.test(text))], // prettier-ignore
    ['builds in the last stage', final.some(({ name }) => name === 'RUN')],
    ['copies whole folders of the context', instructions.some(({ name, text }) => name === 'COPY' && /^\.\s/.test(text))], // prettier-ignore
    ['fetches from elsewhere', instructions.some(({ name }) => name === 'ADD')],
  ];
  return rules.filter(([, isBroken]) => isBroken).map(([fault]) => fault);
}

const ROOT = join(__dirname, '../..');
const SOURCE = read('Dockerfile');

/** The files of the build context that the image is made from. */
function copied(): string[] {
  return parseDockerfile(SOURCE)
    .filter(({ name, text }) => name === 'COPY' && !text.startsWith('--from'))
    .flatMap(({ text }) => text.split(' ').slice(0, -1))
    .map((path) => path.replace('./', ''));
}

function healthCheck(): string[] {
  return execForm(parseDockerfile(SOURCE).find(({ name }) => name === 'HEALTHCHECK')?.text ?? '') ?? [];
}

/** The exit code of the health check, run as the container would. */
function checkHealth(env: Record<string, string>): Promise<number> {
  const [, ...rest] = healthCheck();
  return new Promise((resolve) => {
    execFile(process.execPath, rest, { env }, (error) => {
      resolve(error === null ? 0 : Number(error.code));
    });
  });
}

describe('the Dockerfile', () => {
  it('breaks no rule', () => {
    expect(dockerfileFaults(SOURCE)).toEqual([]);
  });

  it('starts the service as npm start does', () => {
    const command = parseDockerfile(SOURCE).find(({ name }) => name === 'CMD')?.text ?? '';
    const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } };
    expect(execForm(command)?.join(' ')).toBe(scripts.start);
  });

  it('copies what exists and what .dockerignore lets through', () => {
    const allowed = read('.dockerignore').split('\n').filter((line) => line.startsWith('!')); // prettier-ignore
    expect(copied().length).toBeGreaterThan(5);
    for (const path of copied()) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      expect(allowed).toContain(`!${path}`);
    }
  });

  it('uses a Node that the service supports', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const major = /node:(\d+)\./.exec(SOURCE)?.[1] ?? 'none';
    expect(engines.node).toContain(`^${major}.`);
  });

  it('D25 its health check passes while the service is ready, on whatever port, and fails otherwise', async () => {
    const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: await refusedUrl() });
    const { port } = new URL(service.url);
    try {
      expect(await checkHealth({ PORT: port })).toBe(0);
    } finally {
      await service.close();
    }
    expect(await checkHealth({ PORT: port })).toBe(1);
  });

  it('exposes the default port of the service', () => {
    const exposed = parseDockerfile(SOURCE).find(({ name }) => name === 'EXPOSE')?.text;
    expect(exposed).toBe(String(readSettings({}).port));
    expect(healthCheck().join(' ')).toContain(`PORT || ${String(exposed)}`);
  });
});

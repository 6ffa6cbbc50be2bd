import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings } from '../../src/config/settings';
import { refusedUrl } from '../support/upstream/refused-url';
import { RunningService } from '../support/service';
import { dockerfileFaults, execForm, parseDockerfile } from './support/dockerfile';
import { read } from './support/files';

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

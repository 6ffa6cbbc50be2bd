import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { holdLongWaits } from '../support/held-waits';
import type { HttpResponse } from '../support/http-client';
import { OPERATIONS } from '../support/operations';
import { ATTEMPT_MS, ONE_HELD_ATTEMPT } from '../support/service';
import { useSandbox } from '../support/sandboxed-service';
import { read } from '../support/read';

/** A request as a file of the repository shows it, and what it says of the response. */
interface ReadyMadeRequest {
  readonly title: string;
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Compares a response with what is said of it. */
  readonly check: (response: HttpResponse) => void;
}

const ORIGIN = /^(?:https?:\/\/)?localhost:\d+/;

/**
 * Reads a `.http` file. Requests are parted by `###` and a title; lines with `# =>` say what comes back: a status, a
 * header, JSON that the body holds, a JSON string that the body is, or `nothing`.
 */
function readHttpFile(text: string): ReadyMadeRequest[] {
  const [preamble = '', ...parts] = text.split(/^###/m);
  const variables = [...preamble.matchAll(/^@(\w+)\s*=\s*(\S+)/gm)];
  return parts.map((part) => {
    const filled = variables.reduce((all, [, name, value]) => all.replaceAll(`{{${name ?? ''}}}`, value ?? ''), part);
    const [title = '', ...lines] = filled.split('\n').map((line) => line.trim());
    const expected = lines.flatMap((line) => /^# => (.+)$/.exec(line)?.[1] ?? []);
    const [request = '', ...headers] = lines.filter((line) => line !== '' && !line.startsWith('#'));
    const [method = '', url = ''] = request.split(' ');
    if (expected.length === 0 || !ORIGIN.test(url)) throw new Error(`Not a request with its response: ${title}`);
    return {
      title,
      method,
      target: url.replace(ORIGIN, ''),
      headers: Object.fromEntries(headers.map(headerOf)),
      check: (response) => {
        for (const each of expected) expectOf(response, each);
      },
    };
  });
}

function expectOf(response: HttpResponse, expected: string): void {
  if (/^\d{3}$/.test(expected)) expect(response.status).toBe(Number(expected));
  else if (expected === 'nothing') expect(response.body).toBe('');
  else if (expected.startsWith('"')) expect(response.body).toBe(JSON.parse(expected));
  else if (/^[[{]/.test(expected)) expect(response.json()).toMatchObject(JSON.parse(expected) as object);
  else expectHeader(response, expected);
}

function headerOf(line: string): [name: string, value: string] {
  const [, name = '', value = ''] = /^([\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (name === '') throw new Error(`Not a header: ${line}`);
  return [name, value];
}

function expectHeader({ headers }: HttpResponse, line: string): void {
  const [name, value] = headerOf(line);
  expect([name, headers[name.toLowerCase()]]).toEqual([name, value]);
}

const HTTP_FILE = readHttpFile(read('examples/requests.http'));
/** The commands of the page, and what each prints. */
const JOURNEY = [...read('README.md').matchAll(/^```console\n\$ (.+)\n([^]*?)^```/gm)].map(
  ([, command = '', printed = '']) => {
    return { command, printed };
  },
);

describe('ready-made requests get what they say', () => {
  // Many of them fail on purpose; one attempt each keeps that short and the circuit closed.
  const service = useSandbox(2000, 'extended', ONE_HELD_ATTEMPT);

  const send = async ({ method, target, headers, check }: ReadyMadeRequest): Promise<void> => {
    // The wait of SIMULATE-SLOW ends at once, and so does the deadline where the sandbox does not respond.
    holdLongWaits((ms) => ms === 1_500 || (ms === ATTEMPT_MS && target.includes('SIMULATE-TIMEOUT')));
    check(await service().get(target, { method, headers }));
  };

  it.each(HTTP_FILE)('examples/requests.http: $title', send);

  it.each(JOURNEY)('README.md: $command', async ({ command, printed }) => {
    const here = command.replace('localhost:3000', new URL(service().url).host);
    const { stdout } = await promisify(execFile)('sh', ['-c', here]);
    // Of the head of a response, the page leaves lines out; `…` stands for any text.
    for (const line of printed.trim().split('\n')) {
      const pattern = line.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.+');
      expect(stdout.replaceAll('\r', '')).toMatch(new RegExp(`^${pattern}$`, 'm'));
    }
  });

  it.each(OPERATIONS)('$name is among them, in both', ({ name }) => {
    const named: unknown = expect.stringContaining(name);
    expect(HTTP_FILE.map(({ target }) => target)).toContainEqual(named);
    expect(JOURNEY.map(({ command }) => command)).toContainEqual(named);
  });

  const SWITCHES = '500 503 TIMEOUT RESET BAD-JSON BAD-SHAPE ODD-RECORD NOT-FOUND SLOW CIRCUIT-OPEN'.split(' ');
  it.each(SWITCHES)('D30 SIMULATE-%s is among them', (name) => {
    expect(HTTP_FILE.map(({ target }) => target)).toContainEqual(expect.stringContaining(`SIMULATE-${name}`));
  });
});

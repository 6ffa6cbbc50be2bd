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

/**
 * Reads the `console` blocks of a Markdown text: `$ curl …`, followed by what it prints. Of curl, the options `-s`, `-i`
 * and `-H` are known, and `| cut -c1-n` behind it. Headers may be left out of what is printed; `…` stands for any text.
 */
function readCurlJourney(markdown: string): ReadyMadeRequest[] {
  const blocks = [...markdown.matchAll(/^```console\n(.*?)^```/gms)].map(([, block]) => block ?? '');
  return blocks.flatMap((block) => block.split(/^\$ /m).slice(1)).map(readCurl);
}

function readCurl(text: string): ReadyMadeRequest {
  const [command = '', ...printed] = text.trimEnd().split('\n');
  const { options, headers, url, cut } = wordsOf(command);
  return {
    title: command,
    method: options.includes('I') ? 'HEAD' : 'GET',
    target: url.replace(ORIGIN, ''),
    headers: Object.fromEntries(headers.map(headerOf)),
    check: (response) => {
      const withHead = /[iI]/.test(options);
      const end = withHead ? [...printed, ''].indexOf('') : -1;
      const [statusLine, ...shown] = printed.slice(0, Math.max(end, 0));
      if (withHead) expect(`HTTP/1.1 ${response.status}`).toBe(statusLine?.split(' ', 2).join(' '));
      for (const header of shown) expectHeader(response, header);
      expectText(response.body.slice(0, cut), printed.slice(end + 1).join('\n'));
    },
  };
}

interface CurlWords {
  readonly options: string;
  readonly headers: readonly string[];
  readonly url: string;
  readonly cut: number | undefined;
}

function wordsOf(command: string): CurlWords {
  const [curl = '', pipe] = command.split(' | ');
  const words = [...curl.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const headers: string[] = [];
  const urls: string[] = [];
  let options = '';
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    if (word === '-H') headers.push(words[(at += 1)] ?? '');
    else if (/^-[siI]+$/.test(word)) options += word.slice(1);
    else urls.push(word);
  }
  const cut = pipe === undefined ? undefined : Number(/^cut -c1-(\d+)$/.exec(pipe)?.[1]);
  const [url = ''] = urls;
  if (words[0] !== 'curl' || urls.length !== 1 || !ORIGIN.test(url) || Number.isNaN(cut)) {
    throw new Error(`Not understood: ${command}`);
  }
  return { options, headers, url, cut };
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

/** Equal, but for what `…` stands for. */
function expectText(actual: string, expected: string): void {
  const parts = expected.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (!new RegExp(`^${parts.join('.+')}$`, 's').test(actual)) expect(actual).toBe(expected);
}

const HTTP_FILE = readHttpFile(read('examples/requests.http'));
const JOURNEY = readCurlJourney(read('README.md'));

describe('ready-made requests get what they say', () => {
  // Many of them fail on purpose; one attempt each keeps that short and the circuit closed.
  const service = useSandbox(2000, 'extended', ONE_HELD_ATTEMPT);

  const send = async ({ method, target, headers, check }: ReadyMadeRequest): Promise<void> => {
    // The wait of SIMULATE-SLOW ends at once, and so does the deadline where the sandbox does not respond.
    holdLongWaits((ms) => ms === 1_500 || (ms === ATTEMPT_MS && target.includes('SIMULATE-TIMEOUT')));
    check(await service.get(target, { method, headers }));
  };

  it.each(HTTP_FILE)('examples/requests.http: $title', send);

  it.each(JOURNEY)('README.md: $title', send);

  it.each(OPERATIONS)('$name is among them, in both', ({ name }) => {
    for (const requests of [HTTP_FILE, JOURNEY]) {
      expect(requests.map(({ target }) => target)).toContainEqual(expect.stringContaining(name));
    }
  });

  const SWITCHES = '500 503 TIMEOUT RESET BAD-JSON BAD-SHAPE ODD-RECORD NOT-FOUND SLOW CIRCUIT-OPEN'.split(' ');
  it.each(SWITCHES)('D30 SIMULATE-%s is among them', (name) => {
    expect(HTTP_FILE.map(({ target }) => target)).toContainEqual(expect.stringContaining(`SIMULATE-${name}`));
  });
});

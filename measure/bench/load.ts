import autocannon from 'autocannon';
import { Opening } from './opening';
import type { Recorder } from './recorder';

/** Requests that never end, and what their responses have to be. */
export interface Traffic {
  readonly nextPath: () => string;
  readonly isRight: (body: string) => boolean;
  /** What `Shipping-Completeness` has to be on every response; not checked of servers that do not send it. */
  readonly completeness?: string | undefined;
  readonly connections: number;
  /** Requests a second; without it as many as the server serves. */
  readonly rate?: number | undefined;
}

const OPENING_SECONDS = 20;

/** Loads a server, for so many seconds from when all its connections are open. */
export async function load(url: string, traffic: Traffic, seconds: number, recorder: Recorder): Promise<void> {
  const { nextPath, isRight, connections, rate } = traffic;
  const opening = new Opening(rate === undefined ? connections : 0);
  const options: autocannon.Options = {
    url,
    connections,
    duration: OPENING_SECONDS + seconds,
    sampleInt: 10,
    ...opening.options,
    ...(rate === undefined ? {} : { overallRate: rate, ignoreCoordinatedOmission: true }),
    requests: [{ setupRequest: (request) => ({ ...request, path: nextPath() }) }],
    verifyBody: (body) => isRight(mended(String(body))),
    setupClient: (client) => {
      watch(client, traffic, recorder, opening);
    },
  };
  const { non2xx, errors, mismatches } = await run(options, async () => {
    await recorder.underWay;
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  });
  recorder.failed('status other than 2xx', non2xx);
  recorder.failed('connection broke or timed out', errors);
  recorder.failed('wrong body', mismatches);
}

function run(options: autocannon.Options, untilDone: () => Promise<void>): Promise<autocannon.Result> {
  return new Promise((resolve, reject) => {
    const instance = autocannon(options, (error: unknown, result) => {
      if (error instanceof Error) reject(error);
      else resolve(result);
    });
    void untilDone().then(() => {
      instance.stop();
    });
  });
}

function watch(client: autocannon.Client, { completeness }: Traffic, recorder: Recorder, opening: Opening): void {
  let opened = false;
  client.on('response', (_status, _bytes, ms) => {
    if (!opening.isOver(client)) return;
    if (opened) recorder.responded(ms);
    else recorder.opened();
    opened = true;
  });
  if (completeness === undefined) return;
  client.on('headers', (parsed) => {
    recorder.said(completenessIn(parsed));
  });
}

/** autocannon decodes a body piece by piece, which splits a letter between two pieces in two. */
function mended(body: string): string {
  return body.includes('\ufffd\ufffd') ? body.replaceAll('\ufffd\ufffd', 'ß') : body;
}

/** The parser hands over names and values in turns, whatever the types say; Fastify writes names in lower case. */
function completenessIn(parsed: unknown): string {
  const { headers } = parsed as { headers: string[] };
  const at = headers.indexOf('shipping-completeness');
  return (at === -1 ? undefined : headers[at + 1]) ?? 'nothing';
}

import { Pool } from 'undici';
import type { Traffic } from './load';
import type { Recorder } from './recorder';

const TICK_MS = 1;

/**
 * Sends requests at even distances, whether or not earlier ones have a response. autocannon keeps a rate by letting
 * every connection send its share of a second back to back, so that the server is at its limit for a part of it.
 */
export async function steadyLoad(url: string, traffic: Traffic, seconds: number, recorder: Recorder): Promise<void> {
  const { connections, rate = 1 } = traffic;
  const pool = new Pool(url, { connections });
  await Promise.all(Array.from({ length: connections }, () => ask(pool, traffic, recorder)));
  for (let opened = 0; opened < connections; opened += 1) recorder.opened();
  const since = performance.now();
  const inFlight = new Set<Promise<void>>();
  for (let sent = 0, elapsed = 0; elapsed < seconds; elapsed = (performance.now() - since) / 1000) {
    for (; sent < elapsed * rate; sent += 1) {
      const sent = ask(pool, traffic, recorder);
      inFlight.add(sent);
      void sent.then(() => inFlight.delete(sent));
    }
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  await Promise.all(inFlight);
  await pool.close();
}

async function ask(pool: Pool, traffic: Traffic, recorder: Recorder): Promise<void> {
  const sentAt = performance.now();
  try {
    const { statusCode, headers, body } = await pool.request({ method: 'GET', path: traffic.nextPath() });
    const text = await body.text();
    recorder.responded(performance.now() - sentAt);
    if (traffic.completeness !== undefined) recorder.said(String(headers['shipping-completeness']));
    if (statusCode !== 200) recorder.failed('status other than 2xx', 1);
    else if (!traffic.isRight(text)) recorder.failed('wrong body', 1);
  } catch {
    recorder.failed('connection broke or timed out', 1);
  }
}

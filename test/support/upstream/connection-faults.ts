import { setImmediate as nextTurn } from 'node:timers/promises';
import { json, JSON_TYPE, jsonBytes } from './responses';
import { type Behaviour, chunk, type Death, type Exchange, responseHead } from './exchange';
import { anyReply } from './records';

/** Answers that come late, in part or not at all, because of what happens on the connection. */

/** Takes the request and stays silent until the client leaves. */
export function neverResponds(): Behaviour {
  return { perform: (exchange) => exchange.untilGone() };
}

/** Promises a body and stays silent until the client leaves. */
export function stallsAfterHeaders(body: unknown = anyReply()): Behaviour {
  return promising(body, (exchange) => exchange.untilGone());
}

/** Sends half of the body and stays silent until the client leaves. */
export function stallsMidBody(body: unknown = anyReply()): Behaviour {
  return afterHalf(body, (exchange) => exchange.untilGone());
}

/** Sends the body one byte at a time: every single wait is short, the whole is not. */
export function drips(body: unknown = anyReply(), everyMs = 100): Behaviour {
  return promising(body, async (exchange, whole) => {
    for (let at = 0; at < whole.length && !exchange.gone.aborted; at++) {
      await exchange.pause(everyMs);
      await exchange.write(whole.subarray(at, at + 1));
    }
    exchange.closeIfAsked();
  });
}

/** Sends header lines, one at a time, and never comes to the end of them. */
export function dripsHeaders(everyMs = 100): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write('HTTP/1.1 200 OK\r\n');
      for (let line = 1; !exchange.gone.aborted; line++) {
        await exchange.pause(everyMs);
        await exchange.write(`X-Line-${line}: more to come\r\n`);
      }
    },
  };
}

/** Resets the connection (RST) instead of answering. */
export function resetsBeforeHeaders(): Behaviour {
  return breaking((exchange) => {
    exchange.reset();
  });
}

/** Promises a body, then resets the connection (RST). */
export function resetsAfterHeaders(body: unknown = anyReply()): Behaviour {
  return promising(body, (exchange) => exchange.resetOnceRead());
}

/** Sends half of the body, then resets the connection (RST). */
export function resetsMidBody(body: unknown = anyReply()): Behaviour {
  return afterHalf(body, (exchange) => exchange.resetOnceRead());
}

/** Closes the connection in good order (FIN) instead of answering. */
export function closesBeforeHeaders(): Behaviour {
  return breaking((exchange) => {
    exchange.close();
  });
}

/** Sends fewer bytes than `Content-Length` promised, then closes the connection in good order (FIN). */
export function closesEarly(body: unknown = anyReply()): Behaviour {
  return afterHalf(body, closes);
}

/** Sends a chunk that holds half of the body, then closes the connection (FIN) without the last chunk. */
export function closesMidChunks(body: unknown = anyReply()): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.writeHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
      await exchange.write(chunk(firstHalf(jsonBytes(body))));
      exchange.close();
    },
  };
}

/**
 * Answers well and keeps the connection open, but kills it when the next request arrives on it: the race of a server
 * that closes an idle connection just as its client picks it up. The killed request is not looked at; it shows in
 * `reusesRefused` only.
 */
export function closesKeepAliveAsReused(body: unknown = anyReply(), death: Death = 'reset'): Behaviour {
  return {
    perform: async (exchange) => {
      exchange.deathOnReuse = death;
      await json(body).perform(exchange);
    },
  };
}

/** Answers well, says that the connection stays open, and closes it (FIN) all the same. */
export function closesAfterAnswer(body: unknown = anyReply()): Behaviour {
  return {
    perform: async (exchange) => {
      await json(body, { headers: { Connection: 'keep-alive' } }).perform(exchange);
      exchange.close();
    },
  };
}

/** A chunked body without end, sent as fast as the client takes it, until the client leaves. */
export function endlessBody(): Behaviour {
  const more = chunk(Buffer.alloc(16 * 1024, ' '));
  return {
    perform: async (exchange) => {
      await exchange.writeHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' });
      while (!exchange.gone.aborted) {
        await exchange.write(more);
        await nextTurn();
      }
    },
  };
}

/** Informational responses without end, until the client leaves; the response proper never comes. */
export function endlessInformational(everyMs = 5): Behaviour {
  return {
    perform: async (exchange) => {
      while (!exchange.gone.aborted) {
        await exchange.write(responseHead(103));
        await exchange.pause(everyMs);
      }
    },
  };
}

function breaking(act: (exchange: Exchange) => void): Behaviour {
  return {
    perform: (exchange) => {
      act(exchange);
      return Promise.resolve();
    },
  };
}

function closes(exchange: Exchange): Promise<void> {
  exchange.close();
  return Promise.resolve();
}

function promising(body: unknown, then: (exchange: Exchange, whole: Buffer) => Promise<void>): Behaviour {
  return {
    perform: async (exchange) => {
      const whole = jsonBytes(body);
      await exchange.writeHead(200, { ...JSON_TYPE, 'Content-Length': String(whole.length) });
      await then(exchange, whole);
    },
  };
}

function afterHalf(body: unknown, then: (exchange: Exchange) => Promise<void>): Behaviour {
  return promising(body, async (exchange, whole) => {
    await exchange.write(firstHalf(whole));
    await then(exchange);
  });
}

function firstHalf(whole: Buffer): Buffer {
  return whole.subarray(0, Math.floor(whole.length / 2));
}

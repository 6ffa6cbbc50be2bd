import { setImmediate as nextTurn } from 'node:timers/promises';
import { json, JSON_TYPE, jsonBytes } from './responses';
import { type Behaviour, chunk, type Death, type Exchange, responseHead } from './exchange';
import { anyReply } from './records';

/** Responses that come late, in part or not at all, because of what happens on the connection. */

/** Takes the request and stays silent until the client leaves. */
export function neverResponds(): Behaviour {
  return { perform: (exchange) => exchange.untilGone() };
}

/** Sends half of the body and stays silent until the client leaves. */
export function stallsMidBody(): Behaviour {
  return afterHalf((exchange) => exchange.untilGone());
}

/** Sends the body one byte at a time: every single wait is short, the whole is not. */
export function drips(everyMs = 100): Behaviour {
  return promising(async (exchange, whole) => {
    for (let at = 0; at < whole.length && !exchange.gone.aborted; at += 1) {
      await exchange.pause(everyMs);
      await exchange.write(whole.subarray(at, at + 1));
    }
    exchange.close();
  });
}

/** Resets the connection (RST) instead of responding. */
export function resetsBeforeHeaders(): Behaviour {
  return {
    perform: (exchange) => {
      exchange.reset();
    },
  };
}

/** Sends half of the body, then resets the connection (RST). */
export function resetsMidBody(): Behaviour {
  return afterHalf((exchange) => exchange.resetOnceRead());
}

/** Sends fewer bytes than `Content-Length` promised, then closes the connection in good order (FIN). */
export function closesEarly(): Behaviour {
  return afterHalf((exchange) => {
    exchange.close();
  });
}

/**
 * Responds well and keeps the connection open, but kills it when the next request arrives on it: the race of a server
 * that closes an idle connection just as its client picks it up. The killed request is not looked at; it shows in
 * `reusesRefused` only.
 */
export function closesKeepAliveAsReused(death: Death = 'reset'): Behaviour {
  return {
    perform: async (exchange) => {
      exchange.deathOnReuse = death;
      await json().perform(exchange);
    },
  };
}

/** Responds well, says that the connection stays open, and closes it (FIN) all the same. */
export function closesAfterAnswer(): Behaviour {
  return {
    perform: async (exchange) => {
      await json(anyReply(), { headers: { Connection: 'keep-alive' } }).perform(exchange);
      exchange.close();
    },
  };
}

/** A chunked body without end, sent as fast as the client takes it, until the client leaves. */
export function endlessBody(): Behaviour {
  const more = chunk(Buffer.alloc(16 * 1024, ' '));
  return {
    perform: async (exchange) => {
      await exchange.write(responseHead(200, { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' }));
      while (!exchange.gone.aborted) {
        await exchange.write(more);
        await nextTurn();
      }
    },
  };
}

function promising(then: (exchange: Exchange, whole: Buffer) => Promise<void> | void): Behaviour {
  return {
    perform: async (exchange) => {
      const whole = jsonBytes(anyReply());
      await exchange.write(responseHead(200, { ...JSON_TYPE, 'Content-Length': String(whole.length) }));
      await then(exchange, whole);
    },
  };
}

function afterHalf(then: (exchange: Exchange) => Promise<void> | void): Behaviour {
  return promising(async (exchange, whole) => {
    await exchange.write(whole.subarray(0, whole.length / 2));
    await then(exchange);
  });
}

/** Writes these bytes, one a character, and closes the connection (FIN). */
export function raw(bytes: string): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(Buffer.from(bytes, 'latin1'));
      exchange.close();
    },
  };
}

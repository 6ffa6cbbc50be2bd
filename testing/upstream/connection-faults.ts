import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Behaviour, chunk, type Death, type Exchange, responseHead } from './exchange';
import { wireBody } from './records';
import { json, JSON_TYPE, jsonBytes } from './responses';

/** Upstream responses that come late, in part or not at all, because of what happens on the connection. */

/** Accepts the request and sends nothing until the client disconnects. */
export function neverResponds(): Behaviour {
  return { perform: (exchange) => exchange.untilGone() };
}

/** Sends half of the body, then nothing until the client disconnects. */
export function stallsMidBody(): Behaviour {
  return afterHalf((exchange) => exchange.untilGone());
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
  return afterHalf(async (exchange) => {
    // On a reset, some kernels drop what has arrived and was not read yet.
    await exchange.pause(25);
    exchange.reset();
  });
}

/** Sends fewer bytes than its `Content-Length`, then closes the connection in the regular way (FIN). */
export function closesEarly(): Behaviour {
  return afterHalf((exchange) => {
    exchange.close();
  });
}

/**
 * Sends a valid response and keeps the connection open, but breaks it when the next request arrives. It simulates a
 * server that closes an idle connection at the moment in which its client uses it again (D61). The second request gets
 * no response and is counted by `reusesRefused` only.
 */
export function closesKeepAliveAsReused(death: Death = 'reset'): Behaviour {
  return {
    perform: async (exchange) => {
      exchange.deathOnReuse = death;
      await json().perform(exchange);
    },
  };
}

/** Sends a chunked body without end, as fast as the client reads it, until the client disconnects. */
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

/** Sends the second half of the body byte by byte: each wait is short, so that only a deadline for all of it ends the call. */
export function drips(everyMs = 100): Behaviour {
  return afterHalf(async (exchange, rest) => {
    for (let at = 0; at < rest.length && !exchange.gone.aborted; at += 1) {
      await exchange.pause(everyMs);
      await exchange.write(rest.subarray(at, at + 1));
    }
  });
}

function afterHalf(then: (exchange: Exchange, rest: Buffer) => Promise<void> | void): Behaviour {
  return {
    perform: async (exchange) => {
      const whole = jsonBytes(wireBody());
      await exchange.write(responseHead(200, { ...JSON_TYPE, 'Content-Length': String(whole.length) }));
      const half = Math.floor(whole.length / 2);
      await exchange.write(whole.subarray(0, half));
      await then(exchange, whole.subarray(half));
    },
  };
}

/**
 * Writes a text, one byte for each character, and closes the connection (FIN): for responses that are not valid HTTP.
 */
export function raw(bytes: string): Behaviour {
  return {
    perform: async (exchange) => {
      await exchange.write(Buffer.from(bytes, 'latin1'));
      exchange.close();
    },
  };
}

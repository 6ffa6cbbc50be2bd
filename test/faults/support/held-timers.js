// Required into a service process by tests: waits of a second or more end when a message says how long they lasted.
const HELD_FROM_MS = 1_000;
const NEVER_MS = 2_147_483_647;
const { setTimeout: start, clearTimeout: stop } = globalThis;
const held = new Map();

globalThis.setTimeout = (callback, ms = 0, ...args) => {
  if (ms < HELD_FROM_MS) return start(callback, ms, ...args);
  const timer = start(callback, NEVER_MS, ...args);
  held.set(timer, { ms, pass: () => callback(...args) });
  return timer;
};
globalThis.clearTimeout = (timer) => {
  held.delete(timer);
  stop(timer);
};

process.on('message', ({ elapsedMs }) => {
  if (elapsedMs === undefined) return;
  const due = [...held].filter(([, { ms }]) => ms <= elapsedMs);
  for (const [timer, { pass }] of due) {
    globalThis.clearTimeout(timer);
    pass();
  }
  process.send({ elapsed: due.length });
});
process.channel?.unref();

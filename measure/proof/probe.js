// Required into the service by the proof and the soak, with --expose-gc: measures the process from the inside on demand.
const { EventEmitter } = require('node:events');
const { Socket } = require('node:net');
const { monitorEventLoopDelay } = require('node:perf_hooks');
const v8 = require('node:v8');

const { gc } = globalThis;
const warnings = [];
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
process.on('warning', ({ name }) => {
  // Counting objects is an experimental feature of Node.
  if (name !== 'ExperimentalWarning') warnings.push(name);
});

function countListeners() {
  const emitters = [process, ...process._getActiveHandles().filter((handle) => handle instanceof EventEmitter)];
  return emitters
    .flatMap((emitter) => emitter.eventNames().map((name) => emitter.listenerCount(name)))
    .reduce((sum, count) => sum + count, 0);
}

/** Live objects of a class, whatever holds them. */
function countObjects(type) {
  return v8.queryObjects(type, { format: 'count' });
}

const probeTimer = setTimeout(() => undefined, 0);

function measure(countsObjects) {
  const { heapUsed, external } = process.memoryUsage();
  return {
    heapBytes: heapUsed + external,
    sockets: process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length,
    listeners: countListeners(),
    warnings,
    // Walks the whole heap several times, and blocks the process for so long.
    objects: countsObjects && {
      sockets: countObjects(Socket),
      timers: countObjects(probeTimer.constructor),
      signals: countObjects(AbortSignal),
    },
  };
}

process.on('message', ({ countsObjects }) => {
  // A collection, and counting, are lags of the measurement.
  const { max, mean, count } = delay;
  gc();
  // Finalizers run in turns of the event loop of their own.
  setTimeout(() => {
    gc();
    process.send({ figures: { ...measure(countsObjects), delay: { max, mean, count } } });
    delay.reset();
  }, 20);
});
process.channel.unref();

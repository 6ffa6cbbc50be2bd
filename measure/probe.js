// Loaded into a process, it measures when it gets a message; with --expose-gc, the heap after a collection.
const { getHeapStatistics } = require('node:v8');

const warnings = [];
process.on('warning', ({ name }) => warnings.push(name));

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  // Finalizers run after the first collection, in later turns of the event loop; the second frees what they let go of.
  setTimeout(() => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const active = process.getActiveResourcesInfo();
    const count = (type) => active.filter((name) => name === type).length;
    const counts = { connections: count('TCPSocketWrap'), timers: count('Timeout') };
    const { total_allocated_bytes: allocatedBytes } = getHeapStatistics();
    process.send({ heapBytes: heapUsed + external, allocatedBytes, cpuMicros: user + system, ...counts, warnings });
  }, 20);
});
process.channel.unref();

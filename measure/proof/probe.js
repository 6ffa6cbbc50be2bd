// Required into the service by the soak, with --expose-gc: measures the process from the inside on demand.
const warnings = [];
process.on('warning', ({ name }) => warnings.push(name));

process.on('message', () => {
  globalThis.gc();
  // Finalizers run in turns of the event loop of their own.
  setTimeout(() => {
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    const active = process.getActiveResourcesInfo();
    const count = (type) => active.filter((name) => name === type).length;
    const figures = { connections: count('TCPSocketWrap'), timers: count('Timeout'), warnings };
    process.send({ figures: { heapBytes: heapUsed + external, ...figures } });
  }, 20);
});
process.channel.unref();

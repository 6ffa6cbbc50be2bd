// Required into a service process by tests: tells which modules it has loaded.
process.on('message', ({ modules }) => {
  if (modules) process.send({ modules: Object.keys(require.cache) });
});
process.channel?.unref();

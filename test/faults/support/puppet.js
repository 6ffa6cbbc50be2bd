// Required into a service process by tests: reports when it listens for SIGTERM.
process.on('newListener', (event) => {
  if (event === 'SIGTERM') process.send?.({ handles: event });
});
process.send?.({ loaded: true });
process.channel?.unref();

// Required into a service process by tests: reports when it listens for SIGINT, the second signal that it handles.
process.on('newListener', (event) => {
  if (event === 'SIGINT') process.send?.({ handles: event });
});
process.send?.({ loaded: true });
process.channel?.unref();

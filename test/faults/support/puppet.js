// Required into a service process by tests: reports which child processes it starts and when it listens for SIGTERM.
const { ChildProcess } = require('node:child_process');

const spawn = ChildProcess.prototype.spawn;
ChildProcess.prototype.spawn = function (...options) {
  const result = spawn.apply(this, options);
  process.send?.({ child: this.pid });
  return result;
};

process.on('newListener', (event) => {
  if (event === 'SIGTERM') process.send?.({ handles: event });
});
process.send?.({ loaded: true });
process.channel?.unref();

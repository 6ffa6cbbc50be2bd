// Required into a service process by tests. By message it blocks the event loop or sets the wall clock, and it tells
// which child processes the service starts.
const { ChildProcess } = require('node:child_process');

const spawn = ChildProcess.prototype.spawn;
ChildProcess.prototype.spawn = function (...options) {
  const result = spawn.apply(this, options);
  process.send?.({ child: this.pid });
  return result;
};

let offsetMs = 0;
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + offsetMs);
    else super(...parts);
  }

  static now() {
    return RealDate.now() + offsetMs;
  }
};

process.on('message', ({ blockMs, jumpMs }) => {
  if (jumpMs !== undefined) offsetMs += jumpMs;
  if (blockMs !== undefined) {
    process.send({ blocking: true });
    // A blocking wait, so that a machine with few cores is not starved along with the process.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
  }
  process.send({ done: true });
});
process.channel?.unref();

// Required into a service process by tests, behind the hook for TypeScript: reports when the process loads the file that
// follows main.ts and its first import, which handles the signals. What is loaded by then does not depend on that import.
const load = require.extensions['.ts'];
let files = 0;
require.extensions['.ts'] = (module, filename) => {
  files += 1;
  if (files === 3) process.send?.({ loads: filename });
  load(module, filename);
};
process.channel?.unref();

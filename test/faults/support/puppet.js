// Required into a service process by tests, behind the hook for TypeScript: reports when the process loads the file that
// follows main.ts and the two files by which it first handles signals. What is loaded by then does not depend on these.
const load = require.extensions['.ts'];
let files = 0;
require.extensions['.ts'] = (module, filename) => {
  files += 1;
  if (files === 4) process.send?.({ loads: filename });
  load(module, filename);
};
process.channel?.unref();

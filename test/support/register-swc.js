// Lets `node -r` run the TypeScript of this project without a build. As in Jest, no types are checked.
const childProcess = require('node:child_process');
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const options = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true },
    target: 'es2022',
  },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
  swcrc: false,
};

process.setSourceMapsEnabled(true);
require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename });
  module._compile(code, filename);
};

// Processes that this process forks from a TypeScript file load this module, too, so that they can run the file.
const { fork } = childProcess;
childProcess.fork = (file, args, options) => {
  const execArgv = [...(options?.execArgv ?? process.execArgv), '--require', __filename];
  return fork(file, args, String(file).endsWith('.ts') ? { ...options, execArgv } : options);
};

// Lets plain `node -r` run the project's TypeScript without a build; like Jest, it checks no types.
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

// Processes that this one forks run TypeScript too.
const { fork } = childProcess;
childProcess.fork = (file, args, options) => {
  const execArgv = [...(options?.execArgv ?? process.execArgv), '--require', __filename];
  return fork(file, args, String(file).endsWith('.ts') ? { ...options, execArgv } : options);
};

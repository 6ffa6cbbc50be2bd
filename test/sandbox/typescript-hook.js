// Required into a child process by the tests, so that it can run the TypeScript sources as they are.
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
};

require.extensions['.ts'] = (loaded, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { ...options, filename });
  loaded._compile(code, filename);
};

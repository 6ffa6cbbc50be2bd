const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
const compiled = new Map();

/** Compiles a module once for all suites of a worker: the same script runs in the context of each. */
function compileOnce(code, parameters, { filename, parsingContext }) {
  let module = compiled.get(filename);
  if (module?.code !== code) {
    const head = `(function(${parameters.join(',')}){`;
    const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
    module = { code, script };
    compiled.set(filename, module);
  }
  return module.script.runInContext(parsingContext);
}

/** On Node 20, `compileFunction` finds nothing in the cache of V8; later releases do, and are faster without `compileOnce`. */
const isNode20 = process.version.startsWith('v20.');

/**
 * Node's environment, in which modules are not compiled again for each suite. Jest calls `compileFunction` of Node; a suite
 * that starts an application loads 2,500 modules, and compiling them was a fifth of all processor time. Coverage needs the
 * positions in the code as Jest compiles it.
 */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    vm.compileFunction = isNode20 && !config.globalConfig.collectCoverage ? compileOnce : compileFunction;
  }
};

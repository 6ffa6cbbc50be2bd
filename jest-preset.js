const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/** The names of the packages in a `node_modules` folder that are ES modules, also of those nested deeper. */
function esModulesIn(folder) {
  const entries = existsSync(folder) ? readdirSync(folder) : [];
  const names = entries.flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((inner) => `${name}/${inner}`) : name,
  );
  return names.flatMap((name) => {
    const path = join(folder, name, 'package.json');
    if (!existsSync(path)) return [];
    const { type } = JSON.parse(readFileSync(path, 'utf8'));
    return [...(type === 'module' ? [name] : []), ...esModulesIn(join(folder, name, 'node_modules'))];
  });
}

// Packages that swc compiles to CommonJS. Jest cannot `require` ES modules below Node 24.9. Which packages are ES modules
// changes with the versions that the package manager chooses, so that they are looked up and not listed here.
// `shipping-query-service` is CommonJS, but loads some of them by `import()`, which Jest supports only where swc has
// turned it into `require`.
const compiled = new Set(['shipping-query-service', ...module.paths.flatMap(esModulesIn)]);

/**
 * The Jest configuration of this package, which applications that extend the service can use as well: TypeScript with
 * decorators, and what Nest needs on every supported release of Node. Install `@swc/jest` and `@swc/core` beside it.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.([cm]?ts|[cm]?js)$': [
      '@swc/jest',
      {
        jsc: {
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          target: 'es2022',
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${[...compiled].join('|')})/)`],
  // ES modules import `./x.js` where the source is `x.ts`. The file with the name as written comes first.
  moduleNameMapper: { '^(\\.{1,2}/.+)\\.js$': ['$1.js', '$1.ts'] },
};

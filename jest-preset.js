// Packages that swc compiles to CommonJS, because they are published as ES modules only, which Jest cannot `require`
// below Node 24.9. `shipping-query-service` is CommonJS, but loads some of them by `import()`, which Jest supports only
// where swc has turned it into `require`.
const esmPackages = [
  '@nestjs',
  '@tokenizer',
  '@borewit',
  'cookie',
  'file-type',
  'jose',
  'oauth4webapi',
  'shipping-query-service',
  'strtok3',
  'token-types',
  'uint8array-extras',
];

/**
 * The Jest configuration of this package, which applications that extend the service can use as well: TypeScript with
 * decorators, and what Nest needs on every supported release of Node. Install `@swc/jest` and `@swc/core` beside it.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  testEnvironment: 'node',
  transform: {
    '^.+\\.(ts|js|cjs)$': [
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
  transformIgnorePatterns: [`/node_modules/(?!(?:.*/node_modules/)?(?:${esmPackages.join('|')})/)`],
};

// Packages that are published as ES modules only: Jest cannot `require` them below Node 24.9, so swc turns them into
// CommonJS on the way. This package is CommonJS, but imports some of them by `import()`, which Jest runs on ES modules only.
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
 * For applications of teams as well as for this one: TypeScript with decorators, and what Nest needs on every supported
 * release of Node. It needs `@swc/jest` and `@swc/core`.
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

// Packages that are published as ES modules only: Jest cannot `require` them below Node 24.9, so swc turns them into
// CommonJS on the way.
const esmPackages = [
  '@nestjs',
  '@tokenizer',
  '@borewit',
  'cookie',
  'file-type',
  'jose',
  'oauth4webapi',
  'strtok3',
  'token-types',
  'uint8array-extras',
];

/**
 * The everyday suite: unit specs beside the code, and the contract over HTTP. `jest.all.config.js` adds the rest.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  roots: ['<rootDir>/src', '<rootDir>/test/contract', '<rootDir>/clients'],
  testEnvironment: 'node',
  // Bounds hangs, not speed: machines differ.
  testTimeout: 240_000,
  testRegex: '\\.spec\\.ts$',
  setupFilesAfterEnv: ['<rootDir>/test/support/property-runs.ts'],
  // How many examples each property is tried with.
  globals: { propertyRuns: 20 },
  // Spies last until the next test, hooks before it included.
  restoreMocks: true,
  maxWorkers: '100%',
  // A worker that has grown beyond this is replaced before its next spec. A new one compiles every module again.
  workerIdleMemoryLimit: '250MB',
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

// Packages that are published as ES modules only: Jest cannot `require` them below Node 24.9, so swc turns them into
// CommonJS on the way.
const esmPackages = [
  '@nestjs',
  '@tokenizer',
  '@borewit',
  'content-disposition',
  'cookie',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
];

/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testEnvironment: 'node',
  testRegex: '\\.spec\\.ts$',
  // Those need a redis-server and have a script of their own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/redis/'],
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
  collectCoverageFrom: ['src/**/*.ts', '!src/**/*.spec.ts', '!src/main.ts', '!src/sandbox/main.ts'],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  coverageReporters: ['text-summary', 'lcov'],
};

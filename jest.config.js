const preset = require('./jest-preset');

// No test may depend on a server in UTC (D6): this zone has another offset, and changes it twice a year.
process.env.TZ = 'America/New_York';

/**
 * The everyday suite: unit specs beside the code, and the contract over HTTP. `jest.all.config.js` adds the rest.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  roots: [
    ...['<rootDir>/src', '<rootDir>/clients'],
    ...['access', 'contract', 'docs', 'health', 'shipping'].map((name) => `<rootDir>/test/${name}`),
  ],
  ...preset,
  // They wait for real deadlines, sockets and certificates.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/shipping/gateway/(connections|credentials)'],
  testEnvironment: require.resolve('./test/support/jest-environment'),
  // Imports of `#src/…` lead to the sources, see package.json.
  testEnvironmentOptions: { customExportConditions: ['own-sources', 'node', 'node-addons'], globalsCleanup: 'on' },
  // Bounds hangs, not speed: machines differ.
  testTimeout: 120_000,
  testRegex: '\\.spec\\.ts$',
  setupFilesAfterEnv: ['<rootDir>/test/support/jest-setup.ts'],
  // How many examples each property is tried with.
  globals: { propertyRuns: 20 },
  // Spies last until the next test, hooks before it included.
  restoreMocks: true,
  maxWorkers: '100%',
  // A worker that has grown beyond this is replaced before its next spec. A new one compiles every module again.
  workerIdleMemoryLimit: '1GB',
};

/** What a run changes, and the specs that have to notice it. */
const AREAS = {
  resilience: {
    mutate: ['src/resilience/*.ts'],
    specs: ['src/resilience/'],
  },
  mapping: {
    mutate: ['src/shipping/gateway/protocol/{response-mapping,standard-protocol,value-reader}.ts'],
    specs: ['src/shipping/gateway/protocol/', 'test/contract/responses'],
  },
  parameters: {
    mutate: ['src/http/parameters/*.ts', 'src/shipping/queries/shared/parameters.ts'],
    specs: [
      'src/http/parameters/',
      'src/shipping/queries/shared/',
      'test/contract/(ignored-parameters|ordinary-nest/parameters)',
      'test/(openapi/document|shipping/gateway/upstream-requests)\\.e2e',
    ],
  },
  server: {
    mutate: ['src/http/server/*.ts'],
    specs: ['src/http/server/', 'test/(http/(server-bounds|routing)|health)'],
  },
};
const { AREA = 'resilience' } = process.env;
const { mutate, specs } = AREAS[AREA];

/** `AREA=mapping npx stryker run` is the mutation test of one area. */
export default {
  testRunner: 'jest',
  jest: {
    configFile: 'jest.config.js',
    config: {
      roots: ['<rootDir>/src', '<rootDir>/test'],
      testRegex: specs.map((path) => `/${path}.*\\.spec\\.ts$`),
      globals: { propertyRuns: 20, endOnFailure: true },
      // Ends tests that wait for ever.
      testTimeout: 4000,
    },
    enableFindRelatedTests: false,
  },
  mutate: [...mutate, '!src/**/*.spec.ts'],
  coverageAnalysis: 'perTest',
  concurrency: 2,
  tempDirName: '.stryker-tmp',
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  thresholds: { high: 96, low: 96, break: 96 },
  timeoutMS: 10_000,
};

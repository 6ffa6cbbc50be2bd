const { availableParallelism } = require('node:os');
const everyday = require('./jest.config');

/**
 * Everything: the everyday suite with more runs of each property, the long tables, faults and processes.
 *
 * @type {import('jest').Config}
 */
module.exports = {
  ...everyday,
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/examples', '<rootDir>/clients'],
  globals: { propertyRuns: 100 },
  // More workers than processors, because the suites about processes mostly wait.
  maxWorkers: Math.ceil(1.5 * availableParallelism()),
  // Those need a redis-server, or the installed package, and have scripts of their own.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(redis|installed)/', '<rootDir>/examples/own-query/'],
  collectCoverageFrom: [
    'src/**/*.ts',
    '!src/**/*.spec.ts',
    '!src/main.ts',
    '!src/observability/tracing/preload.ts',
    '!src/sandbox/sandbox.process.ts',
    'clients/typescript/src/*.ts',
  ],
  coverageThreshold: { global: { lines: 95, branches: 95 } },
  coverageReporters: ['text-summary', 'lcov'],
};

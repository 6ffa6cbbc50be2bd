// Suites on a real redis-server: `npm run test:redis`. They need Debian's redis-server on the path.
const config = require('./jest.config.js');

/** @type {import('jest').Config} */
module.exports = {
  ...config,
  roots: ['<rootDir>/test/redis'],
  testRegex: '/test/redis/[^/]+\\.spec\\.ts$',
  testPathIgnorePatterns: ['/node_modules/'],
  // They measure time.
  maxWorkers: 1,
};

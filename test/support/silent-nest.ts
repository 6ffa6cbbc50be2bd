import { Logger } from '@nestjs/common';

// For suites that start the sandbox before a service: Nest would log to the console until a service sets its own
// logger.
Logger.overrideLogger(false);

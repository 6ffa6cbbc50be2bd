import { Logger } from '@nestjs/common';

// Suites that start the sandbox before a service: Nest does not log to the console until a service has its own logger.
Logger.overrideLogger(false);

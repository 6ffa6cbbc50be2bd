import { Logger } from '@nestjs/common';

// For suites that start the sandbox before a service: Nest logs to the console until a service sets its logger.
Logger.overrideLogger(false);

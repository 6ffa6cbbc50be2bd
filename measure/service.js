/** The built service without what the project binds in `src/main.ts`: what it is measured against speaks the standard protocol. */
require('../dist/common/compile-cache');
require('../dist/bootstrap').bootstrap();

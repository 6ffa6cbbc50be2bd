import { bootstrap } from '../../src/bootstrap';

/** The entry of processes in tests: without what the project binds in `src/main.ts`, and without `.env`. */
bootstrap();

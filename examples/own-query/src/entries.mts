import { AppModule, createAdapter, type Settings } from 'shipping-query-service';
import { createTestingApp, type TestingAppOptions } from 'shipping-query-service/testing';

/** Both entries of the package, with their types, in an ES module beside the application, which is CommonJS. */
export type Shown = Settings & TestingAppOptions;
const found = [AppModule, createAdapter, createTestingApp].every((each) => typeof each === 'function');
process.stdout.write(String(found));

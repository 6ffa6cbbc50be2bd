import { AppModule, createAdapter, type Settings } from 'shipping-query-service';
import { createTestingApp, type TestingAppOptions } from 'shipping-query-service/testing';

/**
 * Imports both entries of the package, values and types, into an ES module, which Node and the compiler resolve in
 * another way than from the CommonJS of this application. Prints `true` where all are there.
 */
export type Shown = Settings & TestingAppOptions;
const found = [AppModule, createAdapter, createTestingApp].every((each) => typeof each === 'function');
process.stdout.write(String(found));

import * as client from 'shipping-query-client';
import use from './use.cjs';

await use(client, process.argv[2]);

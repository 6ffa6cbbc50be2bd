import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiDocumentation } from '../../openapi/document';
import { OPERATIONS_PREFIX } from '../model/routes';
import { DESCRIPTION } from './description';
import { SHIPPING_HEADERS } from './headers';
import { OPERATION_RESPONSES, SHIPPING_RESPONSES } from './responses';
import { SHIPPING_SCHEMAS } from './schemas';

const PACKAGE_FILE = join(__dirname, '../../../package.json');
const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string };

/** What the operations add to the OpenAPI document. */
export const SHIPPING_DOCUMENTATION: ApiDocumentation = {
  title: 'Shipping Query Service',
  version,
  description: DESCRIPTION,
  prefix: OPERATIONS_PREFIX,
  tag: { name: 'Shipping', description: 'The four queries' },
  schemas: SHIPPING_SCHEMAS,
  headers: SHIPPING_HEADERS,
  responses: SHIPPING_RESPONSES,
  routeResponses: OPERATION_RESPONSES,
};

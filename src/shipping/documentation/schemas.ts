import type { SchemaObject } from '../../openapi/components';
import { PAGE_NUMBER, PAGE_SIZE } from '../model/paging-rules';

/** Schemas that have no class. They have names, because generators invent names for enumerations without one. */
export const SHIPPING_SCHEMAS: Readonly<Record<string, SchemaObject>> = {
  HandlingPreference: {
    type: 'string',
    enum: ['handling=strict', 'handling=lenient'],
    description: 'Whether to fail or to degrade where the external system fails',
  },
  PagingMessage: {
    type: 'string',
    enum: [PAGE_NUMBER.message, PAGE_SIZE.message],
    description: 'The plain message about an invalid `PageNumber` or `PageSize`',
  },
};

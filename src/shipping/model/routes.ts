import { API_PREFIX } from '../../http/paths';

/** Prefix of the operations. */
export const OPERATIONS_PREFIX = `${API_PREFIX}Shipping`;

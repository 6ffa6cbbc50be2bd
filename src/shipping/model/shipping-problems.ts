import { HttpStatus } from '@nestjs/common';
import type { ProblemDefinition } from '../../http/problem';

/** No record matches a single lookup. */
export const SHIPPING_NOT_FOUND: ProblemDefinition = {
  status: HttpStatus.NOT_FOUND,
  code: 'shipping-not-found',
  detail: 'No shipping matches.',
};

/** The external system gave no usable response; a reason is added. */
export const EXTERNAL_SYSTEM_FAILED: ProblemDefinition = {
  status: HttpStatus.INTERNAL_SERVER_ERROR,
  code: 'external-system-failed',
  detail: 'The external shipping system gave no usable response.',
};

import { HttpStatus } from '@nestjs/common';
import { ProblemException } from '../../http/problem';

/** No record matches a single lookup. */
export class ShippingNotFound extends ProblemException {
  constructor() {
    super(HttpStatus.NOT_FOUND, 'shipping-not-found', 'No shipping matches.');
  }
}

import { HttpStatus } from '@nestjs/common';
import { ProblemException } from '../../http/problem';

/** No record matches a single lookup. */
export class ShippingNotFound extends ProblemException {
  constructor() {
    super({ status: HttpStatus.NOT_FOUND, code: 'shipping-not-found', detail: 'No shipping matches.' });
  }
}

import { HttpException, HttpStatus } from '@nestjs/common';
import { badParameters, ProblemException, type ParameterFault } from '../problem';

/** The request cannot be understood: 400 with one entry for each parameter that is wrong. */
export class BadParametersException extends ProblemException {
  constructor(errors: readonly ParameterFault[]) {
    super(badParameters(errors));
  }
}

/** 400 with a plain text body, for the parameters whose message the specification fixes. */
export class PlainMessageException extends HttpException {
  constructor(message: string) {
    super(message, HttpStatus.BAD_REQUEST);
  }
}

import { HttpException, HttpStatus } from '@nestjs/common';
import { ProblemException, type ParameterFault } from '../problem';

/** The request cannot be understood: 400 with one entry for each parameter that is wrong. */
export class BadParametersException extends ProblemException {
  constructor(errors: readonly ParameterFault[]) {
    super(
      HttpStatus.BAD_REQUEST,
      'invalid-parameters',
      errors.map(({ parameter, message }) => `${parameter} ${message}`).join('; '),
      errors,
    );
  }
}

/** 400 with a plain text body, for the parameters whose message the specification fixes. */
export class PlainMessageException extends HttpException {
  constructor(message: string) {
    super(message, HttpStatus.BAD_REQUEST);
  }
}

import { invalidParameters, ProblemException, type ParameterFault } from '../problem';

/** 400 with one entry for each invalid parameter. */
export class InvalidParametersException extends ProblemException {
  constructor(errors: readonly ParameterFault[]) {
    super(invalidParameters(errors));
  }
}

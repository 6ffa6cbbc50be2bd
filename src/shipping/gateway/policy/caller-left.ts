/** The caller's own signal was aborted. Nobody reads the answer any more, and no statistic counts it as a failure. */
export class CallerLeft extends Error {
  override readonly name = 'CallerLeft';

  constructor() {
    super('the caller left before the call ended');
  }
}

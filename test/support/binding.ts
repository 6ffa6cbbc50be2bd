import { InvalidParametersException, PlainMessageException } from '../../src/http/problems/problem';

/** What binding gives: the values, a plain message, or a message for each bad parameter. */
export interface Binding {
  readonly values?: object;
  readonly plain?: string;
  readonly faults?: Readonly<Record<string, string>>;
}

/** Tells what binding gives; fails where it throws anything but its two exceptions. */
export async function bindingOf(bind: () => object | Promise<object>): Promise<Binding> {
  try {
    return { values: { ...(await bind()) } };
  } catch (error) {
    if (error instanceof PlainMessageException) return { plain: error.message };
    if (!(error instanceof InvalidParametersException)) throw error;
    const errors = error.definition.errors ?? [];
    return { faults: Object.fromEntries(errors.map(({ parameter, message }) => [parameter, message])) };
  }
}

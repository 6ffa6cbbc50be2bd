import { type CheckedSystem, must, needed } from './checked-system';

export const page = (system: CheckedSystem): Promise<unknown> => system.page();
export const list = (system: CheckedSystem): Promise<unknown> => system.list();
export const all = (system: CheckedSystem): Promise<unknown> => system.list({});

export function record(lookup: 'single' | 'byId') {
  return async (system: CheckedSystem): Promise<void> => {
    const failed = system.calls.find(({ failure }) => failure !== undefined)?.operation;
    const reason = failed === undefined ? 'Needs a record: add one' : `See the rule ${failed}-body first`;
    const id = needed(system.samples.id, `${reason}, or name a record with --id`);
    const found = lookup === 'single' ? await system.single({ Id: id }) : await system.byId(id);
    must(found !== undefined, 'No match for the listed or given identifier');
  };
}

/** Checks all responses of an operation so far: no value is malformed. */
export function values(operation: string) {
  return (system: CheckedSystem): void => {
    const own = system.calls.filter((call) => call.operation === operation);
    const results = own.flatMap(({ result }) => result?.completeness ?? []);
    const partial = results.filter(({ level }) => level === 'partial') as { cause?: string }[];
    const causes = new Set(partial.map(({ cause }) => (cause ?? 'no cause').replace(/ \(\d+\)/g, '')));
    must(partial.length === 0, `In ${partial.length} of ${own.length} responses: ${[...causes].join('; ')}`);
    needed(system.records(operation)[0], 'Needs a record');
  };
}

import type { CheckedSystem } from '../checked-system';
import { fail, needsRecord, pass, type Finding, type Rule } from '../rule';

/** One operation of the external system. */
interface OperationUnderCheck {
  /** Its name in calls and rules. */
  readonly name: string;
  readonly title: string;
  readonly body: string;
  readonly check: (system: CheckedSystem) => Promise<Finding>;
}

/** The four operations, each with a request that has to succeed. */
export const OPERATIONS: readonly OperationUnderCheck[] = [
  {
    name: 'paged',
    title: 'The paged list',
    body: 'an object with the array Items and the integer TotalCount',
    check: (system) => system.page().then(() => pass()),
  },
  {
    name: 'details',
    title: 'The unpaged list',
    body: 'an object with the array ShippingDetails',
    check: (system) => system.list().then(() => pass()),
  },
  {
    name: 'single',
    title: 'The lookup by criteria',
    body: 'a record with an Id',
    check: (system) => found(system, (Id) => system.single({ Id })),
  },
  {
    name: 'by-id',
    title: 'The lookup by identifier',
    body: 'a record with an Id',
    check: (system) => found(system, (id) => system.byId(id)),
  },
];

/** Each operation responds at all, in the expected shape. */
export const BODY_RULES: readonly Rule[] = OPERATIONS.map(({ name, title, body, check }) => ({
  id: `${name}-body`,
  title: `${title} responds with the expected body`,
  advice: `Respond with 200 and ${body}; check base URL, path and credentials, or write a protocol.`,
  check,
}));

async function found({ samples }: CheckedSystem, find: (id: string) => Promise<object | undefined>): Promise<Finding> {
  if (samples.id === undefined) {
    return needsRecord(samples, 'Needs a record: add one, or name one with --id.', ', or name a record with --id');
  }
  return (await find(samples.id)) === undefined ? fail('No match for the identifier that was listed or given') : pass();
}

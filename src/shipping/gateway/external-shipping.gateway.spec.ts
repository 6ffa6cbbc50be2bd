import { of } from 'rxjs';
import { POLICY_SETTINGS, spyingObserver } from '../../../test/support/call-policy';
import { wireList } from '../../../testing/upstream/records';
import { readSettings } from '../../config/settings';
import { CallPolicy } from '../../resilience/call-policy';
import { jobContext, ResultReport } from '../model/query-context';
import { ExternalShippingGateway } from './external-shipping.gateway';
import { StandardProtocol } from './protocol/standard-protocol';

/** Asks for a list: what the request is told of the result, and what a team observes. */
async function listed(status: number, { member = {}, client }: { member?: object; client?: object } = {}) {
  const [failures, report] = [[] as unknown[], new ResultReport()];
  const http = { get: () => of({ status, headers: {}, data: wireList() }) };
  const protocol = Object.assign(new StandardProtocol(readSettings({})), member);
  const [system, policy] = [{ url: new URL('http://a.example') }, new CallPolicy(POLICY_SETTINGS, spyingObserver())];
  const gateway = new ExternalShippingGateway(http as never, system as never, protocol, policy);
  gateway.failures.subscribe(({ operation, failure }) => failures.push([operation, ...failure.causes]));
  const request = { operation: { name: 'details', path: () => '/list' } };
  await gateway.list(request, { ...jobContext(), report, client } as never).catch(() => undefined);
  return [report.label, failures];
}

const BROKEN = { list: () => Promise.reject(new TypeError('secret')) };
const THREW = 'StandardProtocol.list threw TypeError';

it.each<[what: string, found: Parameters<typeof listed>, label: string | undefined, failures: unknown[]]>([
  ['a complete list', [200], 'complete', []],
  ['a failed status', [404], 'unavailable;reason=upstream-error', [['details', { what: 'status 404' }]]],
  ['a broken protocol', [200, { member: BROKEN }], 'unavailable;reason=internal', [['details', { what: THREW }]]],
  ['nothing for a client that left', [200, { client: AbortSignal.abort() }], undefined, []],
])('D83 D85 a request is told of %s, and a team observes what has failed', async (_, found, ...expected) => {
  expect(await listed(...found)).toEqual(expected);
});

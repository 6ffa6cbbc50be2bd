import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { bearer } from '../../../testing/key-server';
import { json, status } from '../../../testing/upstream/responses';
import { read } from '../../support/read';
import { RunningService, type ServiceOptions } from '../../support/service';
import { useUpstream } from '../../support/started';

const RECORD = { Id: 'SHP-1', Status: 'delivered', TotalWeight: 2 };

/** The protocol of the page: the system calls the list `Shipments`. */
class TeamProtocol extends StandardProtocol {
  override list: StandardProtocol['list'] = (request, send) =>
    super.list(request, async (target) => {
      const response = await send(target);
      const { Shipments } = Object(response.data) as { Shipments?: unknown };
      return Shipments === undefined ? response : { ...response, data: { ShippingDetails: Shipments } };
    });
}

/** The journey of `docs/connecting.md`: its log lines are those that the service writes. */
const page = read('docs/connecting.md');
const upstream = useUpstream(({ path, headers }) => {
  if (!path.startsWith('/v2/shipments')) return status(404);
  return headers.authorization === bearer('right').Authorization ? json({ Shipments: [RECORD] }) : status(401);
});

const PATH = { EXTERNAL_SHIPPING_DETAILS_PATH: '/v2/shipments' };
const TOKEN = { ...PATH, EXTERNAL_SHIPPING_TOKEN: 'right' };
const OWN = { protocol: TeamProtocol };
it.each<[string, string, string | undefined, Record<string, string>, ServiceOptions]>([
  ['a wrong path', 'unavailable;reason=upstream-error', 'status 404', {}, {}],
  ['no credential', 'unavailable;reason=upstream-error', 'status 401', PATH, {}],
  ['another name', 'unavailable;reason=bad-reply', 'no ShippingDetails: absent', TOKEN, {}],
  ['nothing wrong', 'complete', undefined, TOKEN, OWN],
])('D81 the first contact, %s: %s', async (_, completeness, cause, env, options) => {
  const service = await RunningService.start({ EXTERNAL_SHIPPING_BASE_URL: upstream().url, ...env }, options);
  const { headers } = await service.request('GetShippingDetails');
  await service.close();
  expect(headers['shipping-completeness']).toBe(completeness);
  const shown = `"completeness":"${completeness}"${cause === undefined ? '' : `,"cause":"${cause}"`},"durationMs":`;
  expect(service.log.filter((line) => line.includes('"msg":"request"'))).toEqual([expect.stringContaining(shown)]);
  expect(page.includes(shown)).toBe(true);
});

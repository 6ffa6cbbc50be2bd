import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { readSettings } from '../config/settings';
import { ManagementPort } from './management-port';

type Route = Partial<FastifyContextConfig>;
const PROBE = { purpose: 'management', onEveryPort: true } as const;
const METRICS = { purpose: 'management' } as const;

/** Whether a route is served, and shows details, by each port: that of the operations, and 9464, which is open if set. */
function servedBy(setting: string, config: Route, is404 = false): [serves: boolean, shows: boolean][] {
  const port = new ManagementPort(readSettings({ MANAGEMENT_PORT: setting }));
  if (setting !== '') Object.assign(port, { port: 9464 });
  return [3000, 9464].map((localPort) => {
    const request = { socket: { localPort }, is404, record: { route: { config } } } as unknown as FastifyRequest;
    return [port.refusal(request) === undefined, port.showsDetails(request)];
  });
}

it.each<[string, Route, boolean, boolean]>([
  ['probes', PROBE, true, true],
  ['metrics', METRICS, false, true],
  ['documents', { purpose: 'docs' }, true, false],
  ['operations', {}, true, false],
])('D25 with a management port, %s are served by the ports where they belong', (_, config, isThere, isHere) => {
  expect(servedBy('9464', config)).toEqual([
    [isThere, false],
    [isHere, true],
  ]);
});

it('D25 no route is refused for a target that has none, nor any without a management port', () => {
  expect(servedBy('9464', {}, true).map(([serves]) => serves)).toEqual([true, true]);
  expect(servedBy('', METRICS)).toEqual(servedBy('', {}));
  expect(servedBy('', METRICS)[0]).toEqual([true, true]);
});

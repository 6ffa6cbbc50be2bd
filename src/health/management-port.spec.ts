import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { readSettings } from '../config/settings';
import { ManagementPort } from './management-port';

type Route = Partial<FastifyContextConfig>;

/** A port that is open at 9464, where the settings have one, and a request that came by a port for a route. */
function given(setting: string, localPort: number, config: Route, is404 = false): [ManagementPort, FastifyRequest] {
  const port = new ManagementPort(readSettings({ MANAGEMENT_PORT: setting }), {} as Logger);
  if (setting !== '') Object.assign(port, { port: 9464 });
  return [port, { socket: { localPort }, is404, record: { route: { config } } } as unknown as FastifyRequest];
}

const PROBE = { purpose: 'management', onEveryPort: true } as const;
const METRICS = { purpose: 'management' } as const;

it.each<[string, Route, boolean, boolean]>([
  ['probes', PROBE, true, true],
  ['metrics', METRICS, false, true],
  ['documents', { purpose: 'docs' }, true, false],
  ['operations', {}, true, false],
])('D25 with a management port, %s are served by the ports where they belong', (_, config, isThere, isHere) => {
  const served = [3000, 9464].map((localPort) => {
    const [port, request] = given('9464', localPort, config);
    return port.refusal(request, {} as never) === undefined;
  });
  expect(served).toEqual([isThere, isHere]);
});

it('D25 no route is refused for a target that has none: it is 404 or 400 on each port', () => {
  const [port, request] = given('9464', 9464, {}, true);
  expect(port.refusal(request, {} as never)).toBeUndefined();
});

it.each([
  ['', 3000, true],
  ['9464', 3000, false],
  ['9464', 9464, true],
])('D25 with MANAGEMENT_PORT=%s, a request by port %i sees details: %s', (setting, localPort, isShown) => {
  const [port, request] = given(setting, localPort, METRICS);
  expect(port.showsDetails(request)).toBe(isShown);
  expect(port.refusal(request, {} as never) === undefined).toBe(isShown);
});

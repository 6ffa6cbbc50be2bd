/** An address without the port that some proxies add to it: `192.0.2.1:555`, `[2001:db8::1]:80`. Closed sockets have none. */
export function withoutPort(address = ''): string {
  return address.replace(/^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
}

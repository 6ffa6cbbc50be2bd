/** Variables by which Node, from release 24 on, and other programs send their requests to this proxy. */
export function proxied(url: string): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  return { NODE_USE_ENV_PROXY: '1', ...Object.fromEntries(names.map((name) => [name, url])) };
}

// The server of the document is empty, which means the address that it was read from: fetch of Node needs the whole.
const baseUrl = process.env.BASE_URL;

const output = (client, target, options = {}) => ({ input: 'openapi.json', output: { client, target, ...options } });

export default {
  fetch: output('fetch', 'made/orval-fetch.ts', { baseUrl }),
  axios: output('axios-functions', 'made/orval-axios.ts'),
};

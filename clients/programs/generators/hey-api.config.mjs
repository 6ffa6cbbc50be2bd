export default {
  input: 'openapi.json',
  output: 'made/hey-api-zod',
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }],
};

const made = (name, ...plugins) => ({
  input: 'openapi.json',
  output: `made/hey-api-${name}`,
  plugins: ['@hey-api/client-fetch', '@hey-api/typescript', ...plugins],
});

export default [
  made('transformers', { name: '@hey-api/transformers', dates: true }, { name: '@hey-api/sdk', transformer: true }),
  made('zod', 'zod', { name: '@hey-api/sdk', validator: true }),
];

/** The path below which the files of the Swagger page are, as the page gives it. */
export function pageFiles({ body }: { readonly body: string }): string {
  const [path] = /\/docs\/files\/[0-9a-f]{16}\//.exec(body) ?? [];
  if (path === undefined) throw new Error('The page has no files');
  return path;
}

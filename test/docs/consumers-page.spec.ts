import { read } from '../support/read';

/** What the Power Query of the page names exists: nothing here can run it. */
describe('the Power Query of docs/consumers.md', () => {
  const [, query = ''] = /```\n(let\n[^]*?)```/.exec(read('docs/consumers.md')) ?? [];
  const { paths, components } = JSON.parse(read('openapi.json')) as {
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
    components: { schemas: Record<string, { properties: object }> };
  };
  const fieldsOf = (schema: string): string[] => Object.keys(components.schemas[schema]?.properties ?? {});
  const found = (pattern: RegExp): string[] => [...query.matchAll(pattern)].map(([, name = '']) => name);

  it('names an operation and parameters that there are', () => {
    const [path = ''] = found(/RelativePath = "([^"]+)"/g);
    const known = paths[`/${path}`]?.get.parameters.map(({ name }) => name);
    const [named = ''] = found(/Query = \[([^\]]+)\]/g);
    const names = [...named.split(', ').map((each) => each.split(' = ')[0]), ...found(/Headers = \[(\w+)/g)];
    expect(names).toHaveLength(5);
    expect(known).toEqual(expect.arrayContaining(names));
  });

  it('reads fields that there are', () => {
    const [columns = ''] = found(/Columns = \{([^}]+)\}/g);
    const fields = [...found(/First\[(\w+)\]/g), ...found(/each \[(\w+)\]/g)];
    expect(new Set(fields)).toEqual(new Set(['totalPages', 'totalCount', 'items']));
    expect(fieldsOf('PagedShippingList')).toEqual(expect.arrayContaining(fields));
    expect(fieldsOf('ShippingListItem')).toEqual(expect.arrayContaining(JSON.parse(`[${columns}]`) as string[]));
  });
});

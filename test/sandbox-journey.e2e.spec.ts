import { WELCOME_TEXT } from '../src/shipping/documentation/welcome.docs';
import { DETAIL_EXAMPLE, LOOKUP_EXAMPLE, PAGE_EXAMPLE } from '../src/shipping/documentation/sandbox-records.docs';
import { useSandbox } from './support/sandboxed-service';

const GUIDE = WELCOME_TEXT;
/** The identifier that the guide of the Swagger page gives as an example of a soft-deleted record. */
const [, SOFT_DELETED = ''] = /GetShippingInfoById\/([\w-]+)\) is soft-deleted/.exec(GUIDE) ?? [];

describe('the examples of the document', () => {
  const service = useSandbox(2000);

  it.each([
    ['GetShippingInfoById/SHP-000001', DETAIL_EXAMPLE],
    ['GetShippingSingle?OrderId=ORD-000001', DETAIL_EXAMPLE],
    ['GetShippingDetails?Limit=1', LOOKUP_EXAMPLE],
    ['GetShippingPagedList?PageSize=1', PAGE_EXAMPLE],
  ])('are what the sandbox answers to %s', async (request, example) => {
    expect((await service.request(request)).json()).toEqual(example);
  });

  it('D29 the soft-deleted example of the guide is found by its identifier, and in no list', async () => {
    expect((await service.request(`GetShippingInfoById/${SOFT_DELETED}`)).json()).toMatchObject({ isActive: false });
    const list = (await service.request('GetShippingDetails?Limit=2000')).json() as { id: string }[];
    expect(list.map(({ id }) => id)).not.toContain(SOFT_DELETED);
  });

  it('the guide gives the number of records', async () => {
    const { totalCount } = (await service.request('GetShippingPagedList')).json() as { totalCount: number };
    expect(GUIDE).toContain(`${totalCount.toLocaleString('en')} of them`);
  });

  it.each(['GetShippingSingle', 'GetShippingInfoById/{id}', 'GetShippingDetails', 'GetShippingPagedList'])(
    'of the parameters of %s find something together, as the Swagger page sends them',
    async (path) => {
      const document = (await service.get('/openapi.json')).json();
      const parameters = document.paths[`/api/Shipping/${path}`].get.parameters as {
        in: string;
        name: string;
        schema: { example?: string | number };
      }[];
      let request = path;
      const query = new URLSearchParams();
      for (const { in: place, name, schema } of parameters) {
        if (schema.example === undefined) continue;
        if (place === 'path') request = request.replace(`{${name}}`, String(schema.example));
        if (place === 'query') query.set(name, String(schema.example));
      }
      const answer = await service.request(`${request}?${query.toString()}`);
      expect([answer.status, answer.headers['shipping-completeness']]).toEqual([
        200,
        expect.stringMatching(/^complete(;limit=20)?$/),
      ]);
      expect(answer.body).toContain('SHP-000001');
    },
  );
});

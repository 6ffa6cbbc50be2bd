import type { Type } from '@nestjs/common';
import { bindingOf, type Binding } from '../../../../test/support/binding';
import type { TextPattern } from '../../../config/linear-pattern';
import { readSettings } from '../../../config/settings';
import type { Resolver } from '../../../http/parameters/compiled-rules';
import { ParameterBinder, type RequestQuery } from '../../../http/parameters/parameter-binder';
import { RawQuery } from '../../../http/parameters/query-string';
import { GetShippingDetailsParams } from '../get-shipping-details/get-shipping-details.query';
import { GetShippingInfoByIdParams } from '../get-shipping-info-by-id/get-shipping-info-by-id.query';
import { GetShippingPagedListParams } from '../get-shipping-paged-list/get-shipping-paged-list.query';
import { GetShippingSingleParams } from '../get-shipping-single/get-shipping-single.query';
import { IdentifierRule, PageSizeRule } from './constraints';

const identifierRule = new IdentifierRule(readSettings({}));
const pageSizeRule = new PageSizeRule(readSettings({}));
const resolverOf =
  (pageSize = pageSizeRule): Resolver =>
  (type) =>
    ([identifierRule, pageSize].find((rule) => rule instanceof type) as InstanceType<typeof type> | undefined) ??
    new type();
const requestOf = (query: string): RequestQuery => ({
  raw: new RawQuery(query),
  strict: false,
  operationWith: () => undefined,
});
const binderOf = (type: Type<object>): ParameterBinder<object> => new ParameterBinder(type, resolverOf());

const bind = (type: Type<object>, query: string): Promise<Binding> =>
  bindingOf(() => binderOf(type).bindQuery(requestOf(query)));
const details = (query: string): Promise<Binding> => bind(GetShippingDetailsParams, query);
const page = (query: string): Promise<Binding> => bind(GetShippingPagedListParams, query);
const single = (query: string): Promise<Binding> => bind(GetShippingSingleParams, query);

const PAGE_DEFAULTS = { PageNumber: 1, PageSize: 10 };
const PAGE_NUMBER = 'Page number must be greater than 0';
const PAGE_SIZE = 'Page size must be between 1 and 100';
const BAD_INTEGERS = ['0', '-1', '1.0', '1.', '.5', '1e1', '0x10', '5x', 'x', '%205%206', '5,0', '1_0', '%D9%A1', '2147483648', '9'.repeat(400), 'NaN', 'Infinity', 'null', 'true', '%zz', '5%00']; // prettier-ignore

describe('paging', () => {
  it('D4 has defaults, also where it is blank', async () => {
    expect(await page('')).toEqual({ values: PAGE_DEFAULTS });
    expect(await page('PageNumber=&PageSize=%20%09')).toEqual({ values: PAGE_DEFAULTS });
  });

  it.each([
    ['PageNumber=1', { PageNumber: 1 }],
    ['PageNumber=007', { PageNumber: 7 }],
    ['PageNumber=2147483647', { PageNumber: 2_147_483_647 }],
    ['PageNumber=+5+', { PageNumber: 5 }],
    ['PageSize=1', { PageSize: 1 }],
    ['PageSize=100', { PageSize: 100 }],
    ['PageSize=0000100', { PageSize: 100 }],
  ])('D4 takes %s', async (query, values) => {
    expect(await page(query)).toEqual({ values: { ...PAGE_DEFAULTS, ...values } });
  });

  it.each([...BAD_INTEGERS.map((bad) => `PageNumber=${bad}`), 'PageNumber=%2B5', 'PageNumber=1&pagenumber=1'])(
    'D4 %j is the plain message of the page number',
    async (query) => {
      expect(await page(query)).toEqual({ plain: PAGE_NUMBER });
      expect(await page(`PageSize=x&Status=x&${query}`)).toEqual({ plain: PAGE_NUMBER });
    },
  );

  it.each([...BAD_INTEGERS.map((bad) => `PageSize=${bad}`), 'PageSize=101', 'PageSize=%2B5', 'PageSize=&PAGESIZE='])(
    'D4 %j is the plain message of the page size',
    async (query) => {
      expect(await page(query)).toEqual({ plain: PAGE_SIZE });
      expect(await page(`FromDate=x&${query}&OrderId=%zz`)).toEqual({ plain: PAGE_SIZE });
    },
  );
});

describe('Limit', () => {
  it.each([
    ['1', 1],
    ['007', 7],
    ['2147483647', 2_147_483_647],
    ['+5+', 5],
  ])('D4 takes %s', async (text, Limit) => {
    expect(await details(`Limit=${text}`)).toEqual({ values: { Limit } });
  });

  it.each([...BAD_INTEGERS, '%2B5'])('D4 refuses %j', async (bad) => {
    expect(await details(`Limit=${bad}`)).toEqual({ faults: { Limit: expect.any(String) } });
  });

  it('D4 says what it has to be', async () => {
    const message = 'must be an integer from 1 to 2147483647, in plain decimal digits';
    expect(await Promise.all(['0', 'x', '2147483648'].map((bad) => details(`Limit=${bad}`)))).toEqual(
      Array.from({ length: 3 }, () => ({ faults: { Limit: message } })),
    );
  });

  it('D2 is unknown to the paged list', async () => {
    expect(await page('Limit=x')).toEqual({ values: PAGE_DEFAULTS });
  });
});

describe('Status', () => {
  it.each(['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'])('D5 takes %s in any case', async (Status) => {
    for (const form of [Status, Status.toLowerCase(), Status.toUpperCase(), `+${Status}+`]) {
      expect(await details(`Status=${form}`)).toEqual({ values: { Status } });
    }
  });

  it.each([
    ['0', ''],
    ['__proto__', ''],
    ['constructor', ''],
    ['toString', ''],
    ['null', ''],
    ['un\u212anown', ''],
    ['Del\u0131vered', ''],
    ['in_transit', '; did you mean InTransit?'],
    ['Canceled', '; did you mean Cancelled?'],
    ['Created,Delivered', ''],
    [`Created${'x'.repeat(5000)}`, ''],
  ])('D5 refuses %.20s, naming the allowed values%s', async (bad, hint) => {
    const message = `must be one of Created, InTransit, Delivered, Cancelled, Unknown${hint}`;
    expect(await details(`Status=${encodeURIComponent(bad)}`)).toEqual({ faults: { Status: message } });
  });
});

describe('dates', () => {
  const date = (text: string): Date => new Date(text);

  it('D6 a date-only FromDate starts its day, a date-only ToDate covers it', async () => {
    expect(await details('FromDate=2026-03-01&ToDate=2026-03-01')).toEqual({
      values: { FromDate: date('2026-03-01T00:00:00.000Z'), ToDate: date('2026-03-01T23:59:59.999Z') },
    });
  });

  it('D6 an offset, encoded', async () => {
    expect(await details('FromDate=2026-03-01T00:30:00%2B01:00')).toEqual({
      values: { FromDate: date('2026-02-28T23:30:00.000Z') },
    });
  });

  it.each(['FromDate', 'ToDate'])('D6 a %s whose + arrived as a space is told so', async (name) => {
    const message = 'has a space where a + belongs; encode the + as %2B';
    for (const text of ['2026-03-01T08:30:00+01:00', '2026-03-01T08:30+01:00', '2026-03-01T08:30:00.5%2001:00']) {
      expect(await details(`${name}=${text}`)).toEqual({ faults: { [name]: message } });
    }
  });

  it.each([
    '2026-02-30',
    '20260301',
    '2026-03-01T24:00:00Z',
    '2026-02-30T08:30+01:00',
    '2026-03-01+08:30',
    '2026',
    'today',
    '2026-03-01T08:30++01:00',
  ])('D6 %s is no date', async (text) => {
    expect(await details(`FromDate=${text}`)).toEqual({
      faults: { FromDate: expect.stringMatching(/^must be an existing ISO 8601 date/) },
    });
  });

  it.each([
    ['2026-03-02', '2026-03-01'],
    ['2026-03-01T00:00:00.001', '2026-03-01T00:00'],
    ['2026-03-01T00:00Z', '2026-03-01T00:00%2B00:01'],
  ])('D6 FromDate %s after ToDate %s is refused', async (from, to) => {
    expect(await details(`FromDate=${from}&ToDate=${to}`)).toEqual({
      faults: { ToDate: 'must not be before FromDate' },
    });
  });

  it('D6 the same instant is not', async () => {
    expect((await details('FromDate=2026-03-01T10:00&ToDate=2026-03-01T11:00%2B01:00')).faults).toBeUndefined();
  });

  it('D6 a bad FromDate is told once', async () => {
    expect(Object.keys((await details('FromDate=x&ToDate=2026-03-01')).faults ?? {})).toEqual(['FromDate']);
  });
});

describe('texts', () => {
  it.each([
    ['SearchTerm', 200],
    ['OrderId', 64],
  ])('D7 %s has up to %d code points after trimming', async (name, max) => {
    for (const unit of ['a', 'ä', '😀']) {
      const encoded = encodeURIComponent(unit);
      expect(await details(`${name}=+${encoded.repeat(max)}%09`)).toEqual({ values: { [name]: unit.repeat(max) } });
      expect(await details(`${name}=${encoded.repeat(max + 1)}`)).toEqual({
        faults: { [name]: `must have at most ${max} characters` },
      });
    }
  });

  it('D7 TrackingNumber has up to 64 code points', async () => {
    expect((await single(`TrackingNumber=${'a'.repeat(64)}`)).values).toEqual({ TrackingNumber: 'a'.repeat(64) });
    expect((await single(`TrackingNumber=${'a'.repeat(65)}`)).faults).toEqual({ TrackingNumber: 'must have at most 64 characters' }); // prettier-ignore
  });
});

describe('criteria of the single lookup', () => {
  it.each(['Id=A', 'OrderId=A', 'TrackingNumber=A', 'id=A&orderId=B&trackingNumber=C'])(
    'D11 %s identifies',
    async (query) => {
      expect((await single(query)).values).toBeDefined();
    },
  );

  it.each([
    '',
    'Status=Created',
    'FromDate=2026-03-01&ToDate=2026-03-02',
    'Id=&OrderId=+&TrackingNumber=%09',
    'SearchTerm=A',
  ])('D11 %j does not', async (query) => {
    expect(await single(query)).toEqual({
      faults: { Id: 'is missing; give at least one of Id, OrderId, TrackingNumber' },
    });
  });

  it('D9 a bad Id is refused though another criterion is given', async () => {
    expect(await single('Id=..&OrderId=A')).toEqual({ faults: { Id: 'is not a valid shipping identifier' } });
    expect(await single('Id=a+b')).toEqual({ faults: { Id: 'is not a valid shipping identifier' } });
  });

  it.each(['OrderId=%zz', 'OrderId=a%00', 'TrackingNumber=A&TrackingNumber=A', `OrderId=${'a'.repeat(65)}`])(
    'D11 blames no missing criterion where one is given and bad: %j',
    async (query) => {
      expect(Object.keys((await single(query)).faults ?? {})).toHaveLength(1);
    },
  );
});

describe('the identifier of the path', () => {
  const fromPath = (path: Record<string, string>): Promise<Binding> =>
    bindingOf(() => binderOf(GetShippingInfoByIdParams).bindPath(path));

  it('D9 is taken as it is', async () => {
    expect(await fromPath({ id: 'SHP-1' })).toEqual({ values: { id: 'SHP-1' } });
  });

  it.each([' SHP-1', 'SHP-1 ', '.', '..', 'a/b', 'a\u0000', 'é', 'a'.repeat(65)])('D3 D9 %j is refused', async (id) => {
    expect(await fromPath({ id })).toEqual({ faults: { id: expect.any(String) } });
  });

  it.each<Record<string, string>>([{}, { id: '' }])('D10 is missing from %j', async (path) => {
    expect(await fromPath(path)).toEqual({ faults: { id: 'is missing' } });
  });
});

describe('IdentifierRule', () => {
  const accepts = (value: string, idPattern: TextPattern): boolean => {
    const rule = new IdentifierRule({ ...readSettings({}), idPattern });
    return rule.validate(value, { value, constraints: [], object: {}, property: 'Id', targetName: '' });
  };

  it('D9 refuses dot segments whatever the pattern says', () => {
    const { idPattern } = readSettings({ SHIPPING_ID_PATTERN: '.*' });
    expect(['.', '..'].map((id) => accepts(id, idPattern))).toEqual([false, false]);
    expect(['...', '.a', 'a/b'].map((id) => accepts(id, idPattern))).toEqual([true, true, true]);
  });

  it('D41 refuses an identifier over 256 characters before any pattern', () => {
    const idPattern = { source: '.*', test: jest.fn(() => true) };
    expect(['é'.repeat(256), '😀'.repeat(256)].map((id) => accepts(id, idPattern))).toEqual([true, true]);
    const long = ['a'.repeat(257), '😀'.repeat(257), 'A'.repeat(16_000)];
    expect(long.map((id) => accepts(id, idPattern))).toEqual([false, false, false]);
    expect(idPattern.test).toHaveBeenCalledTimes(2);
  });
});

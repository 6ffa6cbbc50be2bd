import * as fc from 'fast-check';
import { invalidParameters, problemOf } from './problem';

const request = { id: 'REQ-1', url: '/api/Shipping/GetShippingDetails?SearchTerm=hidden' };
const definition = { status: 400, code: 'invalid-parameters', detail: 'Limit is bad' };

describe('problemOf', () => {
  it('D15 has every member, and no query in its instance', () => {
    const errors = [{ parameter: 'Limit', message: 'is bad' }];
    expect(problemOf({ ...definition, errors }, request)).toEqual({
      type: '/problems#invalid-parameters',
      title: 'Bad Request',
      status: 400,
      detail: 'Limit is bad',
      instance: '/api/Shipping/GetShippingDetails',
      code: 'invalid-parameters',
      requestId: 'REQ-1',
      errors,
    });
  });

  it.each([
    [404, 'Not Found'],
    [504, 'Gateway Timeout'],
    [599, 'Error'],
  ])('D15 the title of %d is its phrase', (status, title) => {
    expect(problemOf({ ...definition, status }, request).title).toBe(title);
  });

  it.each([
    ['', ''],
    ['?', ''],
    ['/a?b?c', '/a'],
    ['/a%20b', '/a%20b'],
    ['/%zz', '/%25zz'],
    ['/a b', '/a%20b'],
    ['/<script>"', '/%3Cscript%3E%22'],
    ['/\u0001', '/%01'],
  ])('RFC 9457 the instance of %j is a URI reference', (url, instance) => {
    expect(problemOf(definition, { id: 'REQ-1', url }).instance).toBe(instance);
  });

  it('RFC 9457 the instance is a URI reference for any bytes of the request line', () => {
    const bytes = fc.uint8Array().map((units) => `/${Buffer.from(units).toString('latin1')}`);
    fc.assert(
      fc.property(bytes, (url) => {
        expect(problemOf(definition, { id: 'REQ-1', url }).instance).toMatch(/^\/[\x21-\x7e]*$/);
      }),
    );
  });

  it('RFC 9457 the instance is the requested path, also where it was sent as raw UTF-8', () => {
    const url = Buffer.from('/Göteborg', 'utf8').toString('latin1');
    expect(problemOf(definition, { id: 'REQ-1', url }).instance).toBe('/G%C3%B6teborg');
  });
});

describe('invalidParameters', () => {
  it('D15 names each parameter, in `errors` and in `detail`', () => {
    const errors = [
      { parameter: 'Limit', message: 'is bad' },
      { parameter: 'Status', message: 'is worse' },
    ];
    expect(invalidParameters(errors)).toEqual({
      status: 400,
      code: 'invalid-parameters',
      detail: 'Limit is bad; Status is worse',
      errors,
    });
  });
});

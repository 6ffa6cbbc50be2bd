import * as fc from 'fast-check';
import { badParameters, problemOf, ProblemException } from './problem';

const request = { id: 'REQ-1', url: '/api/Shipping/GetShippingDetails?SearchTerm=hidden' };
const kind = { status: 400, code: 'invalid-parameters', detail: 'Limit is bad' };

describe('problemOf', () => {
  it('D15 has every member, and no query in its instance', () => {
    const errors = [{ parameter: 'Limit', message: 'is bad' }];
    expect(problemOf({ ...kind, errors }, request)).toEqual({
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'Limit is bad',
      instance: '/api/Shipping/GetShippingDetails',
      code: 'invalid-parameters',
      requestId: 'REQ-1',
      errors,
    });
  });

  it('D15 has errors for bad input only', () => {
    const json = JSON.stringify(problemOf({ ...kind, status: 404 }, request));
    expect(Object.keys(JSON.parse(json) as object).sort()).toEqual(
      ['type', 'title', 'status', 'detail', 'instance', 'code', 'requestId'].sort(),
    );
  });

  it.each([
    [404, 'Not Found'],
    [504, 'Gateway Timeout'],
    [599, 'Error'],
  ])('D15 the title of %d is its phrase', (status, title) => {
    expect(problemOf({ ...kind, status }, request).title).toBe(title);
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
    expect(problemOf(kind, { id: 'REQ-1', url }).instance).toBe(instance);
  });

  it('RFC 9457 the instance is one whatever bytes the request line held', () => {
    const bytes = fc.uint8Array().map((units) => `/${Buffer.from(units).toString('latin1')}`);
    fc.assert(
      fc.property(bytes, (url) => {
        expect(problemOf(kind, { id: 'REQ-1', url }).instance).toMatch(/^\/[\x21-\x7e]*$/);
      }),
    );
  });

  it('RFC 9457 the instance names the path that was asked for, also where it came as raw UTF-8', () => {
    const url = Buffer.from('/Göteborg', 'utf8').toString('latin1');
    expect(problemOf(kind, { id: 'REQ-1', url }).instance).toBe('/G%C3%B6teborg');
  });
});

describe('ProblemException', () => {
  it('carries what the caller is to know', () => {
    const exception = new ProblemException({ ...kind, status: 404 });
    expect(exception).toMatchObject({ kind: { ...kind, status: 404 }, message: kind.detail });
    expect(exception.getStatus()).toBe(404);
  });
});

describe('badParameters', () => {
  it('D15 names each parameter, for programs and for people', () => {
    const errors = [
      { parameter: 'Limit', message: 'is bad' },
      { parameter: 'Status', message: 'is worse' },
    ];
    expect(badParameters(errors)).toEqual({
      status: 400,
      code: 'invalid-parameters',
      detail: 'Limit is bad; Status is worse',
      errors,
    });
  });
});

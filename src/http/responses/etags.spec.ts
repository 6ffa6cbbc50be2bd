import { plainReply } from '../../../test/support/plain-reply';
import { SharedBody } from '../shared-body';
import { etagOf, revalidated, whenETagsWork } from './etags';

beforeAll(() => whenETagsWork);

const BODY = '{"a":1}';
const BEFORE = { 'Content-Type': 'application/json', Link: '</>; rel="first"' };
const REVALIDATE = { 'Cache-Control': 'private, no-cache' };

describe('D24 a response that clients may revalidate', () => {
  it.each<{ what: string; condition: (etag: string) => string | undefined; status: 200 | 304 }>([
    { what: 'no condition', condition: () => undefined, status: 200 },
    { what: 'the ETag', condition: (etag) => etag, status: 304 },
    { what: 'the ETag, as a strong one', condition: (etag) => etag.replace('W/', ''), status: 304 },
    { what: 'the ETag among others', condition: (etag) => `"a", W/"b,c",${etag} , "d"`, status: 304 },
    { what: 'anything', condition: () => ' * ', status: 304 },
    { what: 'another ETag', condition: () => '"another"', status: 200 },
    { what: 'an empty condition', condition: () => '', status: 200 },
    { what: 'the ETag without quotes', condition: (etag) => etag.replaceAll('"', '').replace('W/', ''), status: 200 },
    { what: 'an ETag that contains it', condition: (etag) => etag.replace('"', '"x'), status: 200 },
    { what: 'a star among ETags', condition: () => '"a", *', status: 200 },
  ])('$what gets $status', ({ condition, status }) => {
    const ETag = `W/${etagOf(BODY)}`;
    for (const method of ['GET', 'HEAD']) {
      const request = { method, headers: { 'if-none-match': condition(ETag) } };
      const { reply, headers } = plainReply({ before: { ...BEFORE, ...REVALIDATE }, request });
      const sent = revalidated(reply, BODY);
      // Fastify reads the length of what HEAD gets, and drops it.
      expect([reply.statusCode, sent]).toEqual([status, status === 304 && method === 'GET' ? null : BODY]);
      expect(headers()).toEqual({ ...(status === 200 && BEFORE), ...REVALIDATE, ETag });
    }
  });

  it.each([
    ['a response that may not be stored', 200, BODY, false],
    ['another status', 206, BODY, true],
    ['an object', 200, {}, true],
  ])('%s has no ETag', (_, statusCode, body, isAllowed) => {
    const request = { headers: { 'if-none-match': '*' } };
    const before = isAllowed ? REVALIDATE : {};
    const { reply, headers } = plainReply({ statusCode, before, request });
    expect(revalidated(reply, body)).toBe(body);
    expect([reply.statusCode, headers()]).toEqual([statusCode, before]);
  });

  it('D83 keeps the ETag of an application', () => {
    const before = { ...REVALIDATE, ETag: '"of-team"' };
    const { reply, headers } = plainReply({ before, request: { headers: { 'if-none-match': '*' } } });
    expect([revalidated(reply, BODY), headers()]).toEqual([BODY, before]);
  });

  it('D74 has the ETag of its ready body only where that is sent', () => {
    for (const body of [BODY, '{"a":2}', Buffer.from(BODY)]) {
      const { reply, record, headers } = plainReply({ before: REVALIDATE });
      record.ready = new SharedBody(BODY, '"of-ready"');
      revalidated(reply, body);
      expect(headers().ETag).toBe(body === BODY ? 'W/"of-ready"' : `W/${etagOf(body)}`);
    }
  });
});

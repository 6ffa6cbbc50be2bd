import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { Behaviour } from '../../../testing/upstream/exchange';
import { wireBodyOf, wireRecord } from '../../../testing/upstream/records';
import { bytes, chunked, jsonBytes } from '../../../testing/upstream/responses';
import { expectResponse } from '../../support/expected';
import { useCauses } from '../../support/observed-causes';
import { BY_ID, OPERATIONS } from '../../support/operations';

const NAME = 'Zoë Œuvre Ы 漢 😀 \ufffd';
const named = (name: string): Buffer => Buffer.from(JSON.stringify(wireRecord({ Id: 'SHP-1', CreatedBy: name })));
const NAMED = named(NAME);
const latin1Of = (name: string): Buffer => Buffer.from(named(name).toString(), 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const typedAs = (parameter: string, body: Buffer): Behaviour =>
  bytes(body, { 'Content-Type': `application/json${parameter}` });
const codedAs = (coding: string, body: Buffer, type = 'application/json'): Behaviour =>
  bytes(body, { 'Content-Type': type, 'Content-Encoding': coding });

describe('D18 D80 characters and codings that are read', () => {
  const { scripted, observe, aMinutePasses } = useCauses();
  const createdBy = async (behaviour: Behaviour): Promise<unknown> => {
    scripted.upstream.respondWith(behaviour);
    return (await scripted.service.request('GetShippingInfoById/SHP-1')).json().createdBy;
  };

  it.each<[string, string, Behaviour]>([
    ['UTF-8', NAME, typedAs('', NAMED)],
    ['an unknown charset', NAME, typedAs('; charset=none', NAMED)],
    ['no content type', NAME, bytes(NAMED, {})],
    ['a byte order mark', NAME, typedAs('', Buffer.concat([Buffer.from('\ufeff'), NAMED]))],
    ['ISO-8859-1', 'Zoë', typedAs('; charset=ISO-8859-1', latin1Of('Zoë'))],
    ['Windows-1252', '€ é', typedAs('; charset=Windows-1252', latin1Of('\x80 é'))],
    ['Shift_JIS', '漢', typedAs('; charset=shift_jis', latin1Of('\x8a\xbf'))],
    ['UTF-16', NAME, typedAs('; charset=utf-16', utf16(NAMED.toString()))],
    ['big-endian UTF-16 without a mark', NAME, typedAs('; charset=UTF-16', utf16(NAMED.toString()).swap16())],
    ['UTF-16 that a mark alone names', NAME, typedAs('', utf16(`\ufeff${NAMED.toString()}`))],
    ['UTF-16 of Java that a mark alone names', NAME, typedAs('', utf16(`\ufeff${NAMED.toString()}`).swap16())],
    [
      'ISO-2022-JP',
      '漢',
      typedAs('; charset=iso-2022-jp', Buffer.from('{"Id":"SHP-1","OrderId":"A","CreatedBy":"\x1b$B4A\x1b(B"}')),
    ],
    ['GBK', '眉', typedAs('; charset=gbk', named('ü'))],
    ['UTF-8 with three bytes that is labelled GBK', '漢', typedAs('; charset=gbk', named('漢'))],
    ['UTF-8 with six times two that is labelled Big5', 'üüüüüü', typedAs('; charset=big5', named('üüüüüü'))],
    ['an empty coding', NAME, codedAs('', NAMED)],
    ['a list with identity', NAME, codedAs('identity, gzip,', gzipSync(NAMED))],
    ['x-gzip', NAME, codedAs('x-gzip', gzipSync(NAMED))],
    ['br', NAME, codedAs('br', brotliCompressSync(NAMED))],
    ['deflate', NAME, codedAs('deflate', deflateSync(NAMED))],
    ['deflate without its header', NAME, codedAs('deflate', deflateRawSync(NAMED))],
    ['four codings', NAME, codedAs('br,gzip,deflate,gzip', gzipSync(deflateSync(gzipSync(brotliCompressSync(NAMED)))))],
    ['gzip of another charset', 'Zoë', codedAs('gzip', gzipSync(latin1Of('Zoë')), 'application/json; charset=latin1')],
  ])('%s', async (_, expected, behaviour) => {
    expect(await createdBy(behaviour)).toBe(expected);
  });

  const MARKED = Buffer.concat([Buffer.from('\ufeff'), jsonBytes(wireBodyOf(wireRecord({ ShippingAddress: NAME })))]);
  it.each(OPERATIONS)('D80 D81 $name: UTF-8 that is labelled as another charset is UTF-8', async (operation) => {
    const cause = 'UTF-8 that is labelled iso-8859-1';
    for (const sent of [MARKED, MARKED.subarray(3)]) {
      aMinutePasses();
      scripted.upstream.respondWith(typedAs('; charset=ISO-8859-1', sent));
      const { response, ...observed } = await observe(operation);
      expectResponse(response, 'complete');
      expect(response.body).toContain(NAME);
      expect(observed).toEqual({ cause, spans: [cause], lines: [`sends unusual values: ${operation.call}: ${cause}`] });
    }
  });

  it('D80 no label is wrong for ASCII', async () => {
    scripted.upstream.respondWith(typedAs('; charset=ISO-8859-1', jsonBytes({ Id: 'SHP-1', OrderId: 'A' })));
    expect((await observe(BY_ID)).cause).toBeUndefined();
  });

  it('D18 a body of one-byte chunks', async () => {
    expect(await createdBy(chunked(JSON.parse(NAMED.toString()), 1))).toBe(NAME);
  });
});

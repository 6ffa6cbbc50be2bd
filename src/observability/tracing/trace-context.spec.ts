import * as fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { continueTrace, traceOf, traceparentOf } from './trace-context';

const VALID = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

const sentFor = (incoming: string | string[] | undefined): string => traceparentOf(continueTrace(incoming));

describe('continueTrace', () => {
  it.each([
    ['a sampled trace', `00-${TRACE}-${SPAN}-01`, '01'],
    ['a trace that is not sampled', `00-${TRACE}-${SPAN}-00`, '00'],
    ['a later version', `01-${TRACE}-${SPAN}-01`, '01'],
    ['a later version with more fields', `cc-${TRACE}-${SPAN}-01-what-ever`, '01'],
  ])('D22 continues %s with a span of its own', (_, incoming, flags) => {
    const [version, trace, span, sampled] = sentFor(incoming).split('-');
    expect([version, trace, sampled]).toEqual(['00', TRACE, flags]);
    expect(span).not.toBe(SPAN);
    expect(continueTrace(incoming).parentId).toBe(SPAN);
    expect(sentFor(incoming)).toMatch(VALID);
  });

  it.each([
    undefined,
    '',
    'garbage',
    [`00-${TRACE}-${SPAN}-01`],
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-0g`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `cc-${TRACE}-${SPAN}-01.more`,
    ` 00-${TRACE}-${SPAN}-01`,
    `0-${TRACE}-${SPAN}-01`,
    `00-${TRACE}a-${SPAN}-01`,
    `00_${TRACE}_${SPAN}_01`,
  ])('D22 starts a trace of its own instead of %j', (incoming) => {
    const outgoing = sentFor(incoming);
    expect(outgoing).toMatch(VALID);
    expect(outgoing).not.toContain(TRACE);
    expect(continueTrace(incoming).parentId).toBeUndefined();
    expect(outgoing).not.toBe(sentFor(incoming));
  });

  it('D22 sends on something valid whatever comes', () => {
    const hex = (length: number): fc.Arbitrary<string> =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    const lookalike = fc.tuple(hex(2), hex(32), hex(16), hex(2)).map((parts) => parts.join('-'));
    fc.assert(
      fc.property(fc.oneof(fc.string(), lookalike), (incoming) => {
        expect(sentFor(incoming)).toMatch(VALID);
      }),
    );
  });
});

describe('traceOf', () => {
  it('D22 a request has one trace, whoever asks', () => {
    const request = { headers: {}, trace: null } as unknown as FastifyRequest;
    expect(traceOf(request)).toBe(traceOf(request));
  });
});

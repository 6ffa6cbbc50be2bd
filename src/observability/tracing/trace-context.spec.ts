import type { Span } from '@opentelemetry/api';
import { continueTrace } from './trace-context';
import { traceOfSpan } from './tracing';

describe('continueTrace', () => {
  const [TRACE, PARENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

  it.each([
    ['00', '00'],
    ['01', '01'],
    ['02', '00'],
    ['03', '01'],
    ['fe', '00'],
    ['ff', '01'],
  ])('D22 only the lowest bit of the flags counts as sampled: %s', (flags, expected) => {
    expect(continueTrace(`00-${TRACE}-${PARENT}-${flags}`)).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: expected });
    const spanContext = (): object => ({ traceId: TRACE, spanId: PARENT, traceFlags: parseInt(flags, 16) });
    expect(traceOfSpan({ spanContext } as unknown as Span).flags).toBe(expected);
  });

  it.each([`01-${TRACE}-${PARENT}-01-more`, `cc-${TRACE}-${PARENT}-01`])('D22 later versions are continued: %s', (value) => {
    expect(continueTrace(value)).toMatchObject({ traceId: TRACE, parentId: PARENT, flags: '01' });
  });

  it.each([
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-1`,
    `00-${TRACE}-${PARENT}-01more`,
    `01-${TRACE}-${PARENT}-01more`,
    '',
  ])('D22 what is invalid starts a trace: %s', (value) => {
    const { traceId, parentId, flags } = continueTrace(value);
    expect([traceId, parentId, flags]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), undefined, '00']);
    expect(traceId).not.toBe(TRACE);
  });
}); // prettier-ignore

import type { Span } from '@opentelemetry/api';
import { continueTrace, traceOfSpan } from './tracing';

const [TRACE, PARENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];

const continued = { traceId: TRACE, parentId: PARENT, flags: 1 };

it.each(['00', '01', '02', '03', 'fe', 'ff'])('D22 only the lowest bit of the flags %s counts as sampled', (text) => {
  const flags = ['00', '02', 'fe'].includes(text) ? 0 : 1;
  expect(continueTrace(`00-${TRACE}-${PARENT}-${text}`)).toMatchObject({ ...continued, flags });
  const spanContext = (): object => ({ traceId: TRACE, spanId: PARENT, traceFlags: parseInt(text, 16) });
  expect(traceOfSpan({ spanContext } as unknown as Span).flags).toBe(flags);
});

it.each(['01', 'cc'])('D22 the later version %s is continued, with more or without', (version) => {
  for (const more of ['', '-more', '-what-ever']) {
    expect(continueTrace(`${version}-${TRACE}-${PARENT}-01${more}`)).toMatchObject(continued);
  }
});

it.each([
  ...[`ff-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01-more`, `00-${TRACE}-${PARENT}-01more`],
  ...[`01-${TRACE}-${PARENT}-01more`, `cc-${TRACE}-${PARENT}-01.more`, `00-${TRACE}-${PARENT}`],
  ...[`00-${TRACE}-${PARENT}-1`, `00-${TRACE}-${PARENT}-0g`, `00-${TRACE.toUpperCase()}-${PARENT}-01`],
  ...[`00-${'0'.repeat(32)}-${PARENT}-01`, `00-${TRACE}-${'0'.repeat(16)}-01`, ''],
])('D22 what is invalid starts a trace: %s', (value) => {
  const { traceId, parentId, flags } = continueTrace(value);
  expect([traceId, parentId, flags]).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), undefined, 0]);
  expect(traceId).not.toBe(TRACE);
});

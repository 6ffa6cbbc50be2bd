import { prefersStrictHandling, requestIdOf } from './request-headers';

describe('prefersStrictHandling', () => {
  it.each([
    ...['handling=strict', 'Handling="strict"', 'handling\t=\t"strict"', 'handling=strict; a="b, handling=lenient"'],
    ...['respond-async,handling=strict,wait=10', 'wait="1, 2; 3", handling=strict', ', ,handling=strict'],
    ...['a="quoted \\" mark, handling=lenient", handling=strict', 'a="b\\\\", handling=strict'],
    ...[' \t handling \t=\t strict \t; a', 'handling=strict, handling=lenient', 'handling=strict'.padStart(1024, ',')],
  ])('D21 %j asks for it', (header) => {
    expect(prefersStrictHandling(header)).toBe(true);
  });

  it.each([
    ...['', ',', 'strict', 'handling', 'handling=', 'handling=lenient', 'handling=strictly', 'handling="strict ly"'],
    ...['handling=lenient, handling=strict', 'handling, handling=strict', 'a=handling=strict', 'xhandling=strict'],
    ...[
      'a;handling=strict',
      'a="b\\", handling=strict"',
      'handling: strict',
      'handling="strict',
      '\u00a0handling=strict',
    ],
    ...['handling\u00a0=strict', 'handling=\u00a0strict', 'handling=strict\u00a0', 'handling\v=strict'],
    ...['a="\\", handling=strict', 'a=b", handling=strict', 'handling=strict'.padStart(1025, ',')],
  ])('D21 %j does not', (header) => {
    expect(prefersStrictHandling(header)).toBe(false);
  });
});

describe('requestIdOf', () => {
  const idFor = (header?: string | string[]): string => requestIdOf({ headers: { 'x-request-id': header } });

  it.each(['a', 'A-1.b_2', '...', '-', 'x'.repeat(64)])('D22 takes %j from the client', (header) => {
    expect(idFor(header)).toBe(header);
  });

  const INVALID = [undefined, '', 'a b', 'a,b', 'a\n', 'é', 'a/b', '"a"', 'x'.repeat(65), ['a', 'b']];
  it.each(INVALID)('D22 makes its own for %j', (header) => {
    const id = idFor(header);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect([header, idFor(header)]).not.toContain(id);
  });
});

import { MalformedRequest, RequestReader } from './request-reader';

const GET = 'GET /a?b=%20 HTTP/1.1\r\nHost: x\r\nX-Twice:  1 \r\nx-twice: 2\r\n\r\n';

describe('RequestReader', () => {
  const read = (...pieces: string[]): unknown[] => {
    const reader = new RequestReader();
    return pieces.flatMap((piece) => reader.push(Buffer.from(piece, 'latin1')));
  };

  it('keeps the target and the headers as they stand on the wire', () => {
    expect(read(GET)).toEqual([
      {
        method: 'GET',
        target: '/a?b=%20',
        httpVersion: '1.1',
        rawHeaders: [
          ['Host', 'x'],
          ['X-Twice', '1'],
          ['x-twice', '2'],
        ],
      },
    ]);
  });

  it('puts requests together that come in pieces, and takes several at once apart', () => {
    expect(read(...(GET.match(/[^]{1,3}/g) ?? []))).toHaveLength(1);
    expect(read(GET + GET + GET.slice(0, 20))).toHaveLength(2);
  });

  it('waits for more where a head is not complete', () => {
    expect(read('\x16\x03\x01\x02\x00 a greeting in TLS')).toEqual([]);
  });

  it.each([
    ['no request line', 'nonsense\r\n\r\n'],
    ['no header', 'GET / HTTP/1.1\r\nnonsense\r\n\r\n'],
    ['a body', 'POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}'],
    ['chunks', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a head without end', 'x'.repeat(300_000)],
  ])('refuses %s', (_, bytes) => {
    expect(() => read(bytes)).toThrow(MalformedRequest);
  });
});

import type { RequestHead } from './received-call';

const END_OF_HEAD = '\r\n\r\n';
const MAX_HEAD_CHARACTERS = 256 * 1024;
const REQUEST_LINE = /^([A-Z]+) (\S+) HTTP\/(1\.[01])$/;
const HEADER_LINE = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/;

/** The bytes are no request that the upstream understands. */
export class MalformedRequest extends Error {}

/**
 * Cuts the bytes of one connection into requests without a body, which is all that queries send. Bytes that never
 * complete a head (a TLS greeting on a plain port, say) simply wait.
 */
export class RequestReader {
  private pending = '';

  /** Takes bytes and returns the requests that they complete; none, one or several. */
  push(bytes: Buffer): RequestHead[] {
    this.pending += bytes.toString('latin1');
    const heads: RequestHead[] = [];
    for (let end = this.pending.indexOf(END_OF_HEAD); end >= 0; end = this.pending.indexOf(END_OF_HEAD)) {
      heads.push(parse(this.pending.slice(0, end)));
      this.pending = this.pending.slice(end + END_OF_HEAD.length);
    }
    if (this.pending.length > MAX_HEAD_CHARACTERS) {
      throw new MalformedRequest('a request head of more than 256 KiB');
    }
    return heads;
  }
}

function parse(head: string): RequestHead {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const [, method, target, httpVersion] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined || target === undefined || httpVersion === undefined) {
    throw new MalformedRequest(`no request line: ${JSON.stringify(requestLine)}`);
  }
  const rawHeaders = lines.map(parseHeader);
  if (rawHeaders.some(([name, value]) => announcesBody(name.toLowerCase(), value))) {
    throw new MalformedRequest('a request with a body');
  }
  return { method, target, httpVersion, rawHeaders };
}

function parseHeader(line: string): [string, string] {
  const [, name, value] = HEADER_LINE.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw new MalformedRequest(`no header line: ${JSON.stringify(line)}`);
  }
  return [name, value];
}

function announcesBody(name: string, value: string): boolean {
  return name === 'transfer-encoding' || (name === 'content-length' && value !== '0');
}

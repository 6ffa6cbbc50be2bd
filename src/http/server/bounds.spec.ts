import type { IncomingMessage } from 'node:http';
import { getHeapStatistics } from 'node:v8';
import * as bounds from './bounds';

const requestOf = (rawHeaders: string[], members: Partial<IncomingMessage> = {}): IncomingMessage => {
  const headers = Object.fromEntries(
    rawHeaders.map((name, index) => [name.toLowerCase(), rawHeaders[index + 1] ?? '']),
  );
  return { url: '/', httpVersion: '1.1', readableFlowing: null, headers, rawHeaders, ...members } as IncomingMessage;
};

it.each([
  ['no field', [], 2048 + 1],
  ['two fields', ['Host', 'abc', 'X', ''], 2048 + 1 + 2 * 96 + 8],
  ['chunks', ['Transfer-Encoding', 'chunked'], 2048 + 1 + 96 + 24 + 32_768],
])('D59 a request that waits counts by its fields: %s', (_, rawHeaders, bytes) => {
  expect(bounds.bytesOfRequest(requestOf(rawHeaders))).toBe(bytes);
});

const host = ['HOST', 'a'];
const hundred = Array<string>(200).fill('Host-Name');

it.each([
  ['one Host', requestOf(host), undefined],
  ['a field of four letters', requestOf([...host, 'Vary', 'host']), undefined],
  ['no Host', requestOf([]), 400],
  ['no Host in HTTP/1.0', requestOf([], { httpVersion: '1.0' }), undefined],
  ['two Hosts in HTTP/1.0', requestOf([...host, ...host], { httpVersion: '1.0' }), 400],
  ['a hundred fields', requestOf([...hundred.slice(2), ...host]), undefined],
  ['more', requestOf([...hundred, ...host]), 431],
  ['a body that was dropped', requestOf(host, { readableFlowing: true }), 503],
])('D34 D59 rejected before it is routed, or not: %s', (_, request, status) => {
  expect(bounds.rejectionOf(request)).toBe(status);
});

describe('D34 connections: four times as many as requests, 256 at least, and what fits the heap', () => {
  const HEAP = getHeapStatistics().heap_size_limit;

  it.each([
    [3, 256],
    [100, 400],
    [1e9, Math.floor(HEAP / 3 / 32_768)],
  ])('%d requests: %d connections', (requests, connections) => {
    expect(bounds.maxConnectionsOf(requests)).toBe(connections);
  });

  it('hold a quarter of the heap at most, and never more than 128 MiB', () => {
    expect(bounds.MAX_UNSENT_BYTES).toBe(Math.min(134_217_728, Math.floor(HEAP / 4)));
  });
});

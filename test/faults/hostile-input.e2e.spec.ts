import * as fc from 'fast-check';
import { useScriptedService } from '../support/service';
import { anyMutationOf } from './support/any-mutation';
import { RawConnection } from './support/raw-connection';

describe('hostile input', () => {
  const scripted = useScriptedService();

  const anyRequest = fc
    .constantFrom(
      '/api/Shipping/GetShippingSingle?Id=SHP-1',
      '/api/Shipping/GetShippingInfoById/SHP-1',
      '/api/Shipping/GetShippingDetails?Status=InTransit&Limit=5&FromDate=2024-01-01',
      '/api/Shipping/GetShippingPagedList?PageNumber=1&PageSize=2&SortBy=Status&SortDirection=asc',
      ...['/health/ready', '/docs?x=%41'],
    )
    .map((target) => `GET ${target} HTTP/1.1\r\nHost: a\r\nIf-None-Match: W/"a"\r\nPrefer: handling=strict\r\n\r\n`)
    .chain(anyMutationOf);

  it('a request with mutated bytes is never a server error', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(anyRequest, async (bytes) => {
        const connection = await RawConnection.to(scripted.service.url);
        // What was cut off ends with the next request, which ends the connection.
        connection.send(`${bytes}\r\n\r\nGET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
        await connection.ending;
        for (const { status } of connection.responses) seen.add(status);
        expect([...seen].filter((status) => !(status >= 200 && status < 500))).toEqual([]);
      }),
    );
    expect([...seen]).toEqual(expect.arrayContaining([200, 400]));
    expect(scripted.service.log.filter((line) => /"level":[56]0/.test(line))).toEqual([]);
  });
});

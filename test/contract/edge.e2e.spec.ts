import { pageFiles } from '../support/page-files';
import { useScriptedService } from '../support/service';

// The module itself: an import is a copy, on which spies would see nothing.
const zlib = jest.requireActual<typeof import('node:zlib')>('node:zlib');

describe('D50 documents and pages', () => {
  const scripted = useScriptedService();
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const get = (path: string, coding: string, method = 'GET') =>
    scripted.service.get(path, { method, headers: { 'Accept-Encoding': coding } });

  it('D50 a file of the page is compressed once for each coding, however it is spelled', async () => {
    const compress = [jest.spyOn(zlib, 'brotliCompress'), jest.spyOn(zlib, 'gzip')];
    const files = pageFiles(await scripted.service.get('/docs'));
    const spellings = ['swagger-ui.css', '%73wagger-ui.css', 's%77agger-ui.css', 'swagger-ui%2ecss', 'SWAGGER-UI.CSS'];
    for (const coding of ['br', 'gzip']) {
      const responses = await Promise.all(
        [...spellings, ...spellings.map((name) => `${name}?a=1`)].map((name) => get(`${files}${name}`, coding)),
      );
      const forms = new Set(
        responses.map(({ status, headers, bytes }) => [status, headers['content-encoding'], bytes.length].join()),
      );
      expect([...forms]).toEqual([expect.stringMatching(`^200,${coding},\\d+$`)]);
    }
    expect(compress.map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  });

  it.each(['/docs', '/openapi.json', '/openapi.yaml', '/problems/overloaded'])(
    'D50 %s is made and compressed once',
    async (path) => {
      const first = await get(path, 'br');
      const work = [
        jest.spyOn(zlib, 'brotliCompressSync'),
        jest.spyOn(zlib, 'brotliCompress'),
        jest.spyOn(JSON, 'stringify'),
      ];
      for (const method of ['GET', 'HEAD']) {
        const { status, headers } = await get(`${path}?again`, 'br', method);
        expect([status, headers['content-length'], headers.etag]).toEqual([
          200,
          String(first.bytes.length),
          first.headers.etag,
        ]);
      }
      const large = work.flatMap<unknown>(({ mock }) => mock.results.map(({ value }: { value?: unknown }) => value));
      expect(large.filter((value) => String(value).length > 1000)).toEqual([]);
    },
  );
});

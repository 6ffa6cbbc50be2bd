import type { LookupAddress } from 'node:dns';
import dns from 'node:dns/promises';
import { allowManyLookups, sharedLookup } from './name-lookup';

type Answer = (addresses: LookupAddress[] | PromiseLike<LookupAddress[]>) => void;

const ADDRESSES = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

describe('D82 lookups of host names', () => {
  const asked: { readonly name: string; readonly options: unknown; readonly answer: Answer }[] = [];
  beforeEach(() => {
    asked.length = 0;
    const lookup = (name: string, options: unknown): Promise<LookupAddress[]> =>
      new Promise((answer) => asked.push({ name, options, answer }));
    jest.spyOn(dns, 'lookup').mockImplementation(lookup as never);
  });
  afterEach(() => {
    for (const { answer } of asked) answer([]);
  });

  const look = (name: string, options = {}): Promise<unknown[]> =>
    new Promise((resolve) => {
      sharedLookup(name, options, (...result) => {
        resolve(result);
      });
    });
  const names = (): string[] => asked.map(({ name }) => name);

  const FAILURE = Object.assign(new Error('getaddrinfo EAI_AGAIN a.test'), { code: 'EAI_AGAIN' });
  it.each([
    ['addresses', () => ADDRESSES, [null, ADDRESSES]],
    ['failure', () => Promise.reject(FAILURE), [FAILURE, []]],
  ])(
    'connections that are opened at once share a lookup and its %s, and the next ones make another',
    async (...row) => {
      const [, answer, result] = row;
      const results = Promise.all(Array.from({ length: 64 }, () => look('a.test', { all: true })));
      expect(names()).toEqual(['a.test']);
      asked[0]?.answer(answer());
      expect(await results).toEqual(Array(64).fill(result));
      void look('a.test', { all: true });
      expect(names()).toEqual(['a.test', 'a.test']);
    },
  );

  it('a connection that wants one address gets the first one with its family', async () => {
    const result = look('a.test');
    asked[0]?.answer(ADDRESSES);
    expect(await result).toEqual([null, '192.0.2.1', 4]);
  });

  it('other names and other families are looked up at once, whatever gets no answer', () => {
    for (const [name, family] of [['a.test'], ['b.test'], ['a.test', 4], ['a.test', 6]] as const) {
      void look(name, { family, hints: 0 });
    }
    expect(names()).toEqual(['a.test', 'b.test', 'a.test', 'a.test']);
    const options = [undefined, undefined, 4, 6].map((family) => ({ family, hints: 0, all: true }));
    expect(asked.map((each) => each.options)).toEqual(options);
  });

  it.each([
    [undefined, '64'],
    ['8', '8'],
  ])('libuv gets more threads unless the operator says how many: %s', (given, expected) => {
    jest.replaceProperty(process, 'env', { UV_THREADPOOL_SIZE: given });
    allowManyLookups();
    expect(process.env.UV_THREADPOOL_SIZE).toBe(expected);
  });
});

import dns, { type LookupAddress } from 'node:dns';
import { allowManyLookups, sharedLookup } from './name-lookup';

type Answer = (error: Error | null, addresses: LookupAddress[]) => void;

const ADDRESSES = [
  { address: '192.0.2.1', family: 4 },
  { address: '2001:db8::1', family: 6 },
];

describe('D82 lookups of host names', () => {
  const asked: { readonly name: string; readonly options: unknown; readonly answer: Answer }[] = [];
  let now: number;
  beforeEach(() => {
    now = 1000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    asked.length = 0;
    jest.spyOn(dns, 'lookup').mockImplementation((...[name, options, answer]: unknown[]) => {
      asked.push({ name: String(name), options, answer: answer as Answer });
    });
  });
  afterEach(() => {
    for (const { answer } of asked) answer(null, []);
  });

  const look = (name: string, options = {}): Promise<unknown[]> =>
    new Promise((resolve) => {
      sharedLookup(name, options, (...result) => {
        resolve(result);
      });
    });
  const names = (): string[] => asked.map(({ name }) => name);

  it('connections that are opened at once share the lookup of a name, and the next ones look it up again', async () => {
    const results = Promise.all(Array.from({ length: 64 }, () => look('a.test', { all: true })));
    expect(names()).toEqual(['a.test']);
    asked[0]?.answer(null, ADDRESSES);
    expect(await results).toEqual(Array(64).fill([null, ADDRESSES]));
    void look('a.test', { all: true });
    expect(names()).toEqual(['a.test', 'a.test']);
  });

  it('a connection that wants one address gets the first one with its family', async () => {
    const result = look('a.test');
    asked[0]?.answer(null, ADDRESSES);
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

  it('a lookup without an answer is joined for a second; at most two of one name run at once', async () => {
    const first = look('a.test');
    now += 999;
    void look('a.test');
    expect(asked).toHaveLength(1);
    now += 1;
    const second = look('a.test');
    expect(asked).toHaveLength(2);
    now += 60_000;
    const third = look('a.test');
    expect(asked).toHaveLength(2);
    asked[1]?.answer(null, ADDRESSES);
    expect(await second).toEqual(await third);
    void look('a.test');
    expect(asked).toHaveLength(3);
    const failure = Object.assign(new Error('getaddrinfo EAI_AGAIN a.test'), { code: 'EAI_AGAIN' });
    asked[0]?.answer(failure, []);
    expect(await first).toEqual([failure, []]);
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

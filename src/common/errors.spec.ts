import { Query, QueryBus } from '@nestjs/cqrs';
import * as fc from 'fast-check';
import { EventEmitter } from 'node:events';
import { pathToFileURL } from 'node:url';
import { useFolder } from '../../test/support/folder';
import { usedHeap } from '../../test/support/used-heap';
import { describeError } from './errors';

/** What a function throws or returns. */
const errorOf = (make: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(make)
    .catch((error: unknown) => error);

describe('describeError', () => {
  const { file } = useFolder();

  it('tells the name, the literal and the frames of an error', () => {
    const lines = describeError(new TypeError('tariff table is empty')).split('\n');
    expect(lines[0]).toBe('TypeError: tariff table is empty');
    expect(lines[1]).toMatch(/^\s+at .+errors\.spec/);
  });

  class TariffError extends Error {
    constructor(detail = 'of the class') {
      super(`tariffs: ${detail}`);
    }
  }
  class AddingError extends Error {
    constructor(start: string) {
      super(start + client);
    }
  }
  const tariffs = {} as { table: { rows: () => object } };
  const client = 'zqxjk';
  const cycle: Record<string, object> = {};
  cycle[client] = cycle;
  const table = { [client]: undefined } as Record<string, { rows: string } | undefined>;

  const UNDEFINED = "TypeError: Cannot read properties of undefined (reading 'rows')";
  it.each<[string, () => unknown]>([
    ['Error: it\'s "empty"', () => new Error('it\'s "empty"')],
    ['Error: joined, with its cause', () => new Error('joined, ' + 'with its cause', { cause: client })],
    ['TariffError: tariffs: of the class', () => new TariffError()],
    [UNDEFINED, () => tariffs.table.rows()],
    [UNDEFINED, () => table[client]?.rows ?? tariffs.table.rows],
    ['TypeError: Converting circular structure to JSON', () => JSON.stringify(cycle)],
    ['TypeError: Do not know how to serialize a BigInt', () => JSON.stringify(1n)],
    ['TypeError: client.rows is not a function', () => (client as unknown as typeof tariffs.table).rows()],
  ])('D81 tells a message that was made by code: %s', async (expected, make) => {
    expect(describeError(await errorOf(make)).split('\n')[0]).toBe(expected);
  });

  it('D85 tells the literal of an error of an ES module', () => {
    const module = pathToFileURL(file('tariffs.mjs', "throw new TypeError('tariff table is empty');"));
    const error = new TypeError('tariff table is empty');
    error.stack = `TypeError: tariff table is empty\n    at ${module.href}:1:7`;
    expect(describeError(error).split('\n')[0]).toBe('TypeError: tariff table is empty');
  });

  it.each<[string, () => unknown]>([
    ['Error', () => new Error(client)],
    ['Error', () => new Error(`of ${client}`)],
    ['Error', () => new Error('of ' + client)],
    ['TariffError', () => new TariffError(client)],
    ['AddingError', () => new AddingError('No order ')],
    ['Error', () => Object.assign(new Error('literal'), { message: client })],
    ['TypeError', () => (tariffs.table as unknown as Record<string, unknown>)[client]],
    ['TypeError', () => [1].map(client as never)],
    ['SyntaxError', () => JSON.parse(`{${client}}`) as unknown],
  ])('D81 tells no message that may hold a value of a client: %s', async (expected, make) => {
    const described = describeError(await errorOf(make));
    expect(described.split('\n')[0]).toBe(expected);
    expect(described).not.toContain(client);
  });

  it('D81 names the query that has no handler', async () => {
    class TariffQuery extends Query<string> {}
    const bus = new QueryBus({} as never, new EventEmitter() as never);
    const error: unknown = await bus.execute(new TariffQuery()).catch((thrown: unknown) => thrown);
    expect(describeError(error)).toMatch(/^QueryHandlerNotFoundException: No handler .+"TariffQuery"/);
  });

  it('tells the code of an error of Node', () => {
    const refused = Object.assign(new Error(client), { code: 'ECONNREFUSED' });
    expect(describeError(refused).split('\n')[0]).toBe('Error ECONNREFUSED');
    expect(describeError(Object.assign(new Error(), { code: 'a hidden text' }))).not.toContain('hidden');
  });

  it.each([
    ['hidden', 'a thrown string'],
    [{ message: 'hidden' }, 'a thrown object'],
    [null, 'a thrown object'],
  ])('tells the type of %j that was thrown', (thrown, expected) => {
    expect(describeError(thrown)).toBe(expected);
  });

  it('makes do without a stack', () => {
    const error = new RangeError('not in the stack');
    delete error.stack;
    expect(describeError(error)).toBe('RangeError');
  });

  it('D59 holds the code around each place that throws, and no copy of its file', () => {
    const bundle = file('bundle.js', 'function someFunctionOfABundle() { return 1; }\n'.repeat(20_000));
    const before = usedHeap();
    for (let line = 1; line <= 50; line += 1) {
      const error = new TypeError('x');
      error.stack = `TypeError: x\n    at someFunctionOfABundle (${bundle}:${100 * line}:10)`;
      describeError(error);
    }
    // Fifty copies of the bundle would take 46 MB.
    expect(usedHeap() - before).toBeLessThan(5_000_000);
  });

  it('D15 tells nothing of any message', () => {
    const lines = fc.array(fc.tuple(fc.constantFrom('', ' ', '    at ', 'at '), fc.string()), { minLength: 1 });
    fc.assert(
      fc.property(lines, (parts) => {
        const message = parts.map(([start, rest]) => `${start}zqxjk${rest}`).join('\n');
        expect(describeError(new Error(message))).not.toContain('zqxjk');
      }),
    );
  });
});

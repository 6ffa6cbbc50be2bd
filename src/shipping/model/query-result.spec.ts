import { SharedBody } from '../../http/shared-body';
import { COMPLETE, foundOrThrow, type QueryResult, type SharedJson, StoredResult } from './query-result';

interface Body {
  items: string[];
}

describe('StoredResult', () => {
  let json: SharedJson;
  const result = (): QueryResult<Body> => new StoredResult<Body>(json, COMPLETE);
  beforeAll(() => {
    json = { body: SharedBody.of('{"items":["a"]}') };
  });

  it('D75 is sent as it is stored where no code reads the body', () => {
    expect(foundOrThrow(result()).unread).toBe(json);
  });

  it('D74 gives code that reads the body a copy of its own, and always the same one', () => {
    const [one, two] = [result(), result()];
    one.body.items.push('b');
    expect([one.body, two.body]).toEqual([{ items: ['a', 'b'] }, { items: ['a'] }]);
    expect([one.unread, two.unread]).toEqual([undefined, undefined]);
  });

  it('D74 a copy of the result has a body, too', () => {
    const copy = { ...result(), cache: { status: 'hit' } };
    expect([copy.body, copy.unread]).toEqual([{ items: ['a'] }, undefined]);
  });
});

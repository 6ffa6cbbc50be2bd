import { readSettings, type Settings } from '../../../config/settings';
import { IdentifierRule } from './validators';

describe('IdentifierRule', () => {
  const accepts = (value: string, idPattern: Settings['idPattern']): boolean => {
    const rule = new IdentifierRule({ ...readSettings({}), idPattern });
    return rule.validate(value, { value, constraints: [], object: {}, property: 'Id', targetName: '' });
  };

  it('D9 refuses dot segments whatever the pattern says', () => {
    const { idPattern } = readSettings({ SHIPPING_ID_PATTERN: '.*' });
    expect(['.', '..'].map((id) => accepts(id, idPattern))).toEqual([false, false]);
    expect(['...', '.a', 'a/b'].map((id) => accepts(id, idPattern))).toEqual([true, true, true]);
  });

  it('D9 refuses an identifier over 256 characters before any pattern', () => {
    const idPattern = { source: '.*', test: jest.fn(() => true) };
    expect(['é'.repeat(256), '😀'.repeat(256)].map((id) => accepts(id, idPattern))).toEqual([true, true]);
    const long = ['a'.repeat(257), '😀'.repeat(257), 'A'.repeat(16_000)];
    expect(long.map((id) => accepts(id, idPattern))).toEqual([false, false, false]);
    expect(idPattern.test).toHaveBeenCalledTimes(2);
  });
});

import { EXPLAINED_PROBLEMS } from './problem-explanations';
import { PROBLEMS } from './problems';

describe('EXPLAINED_PROBLEMS', () => {
  it('D15 has each code of the platform once', () => {
    const codes = EXPLAINED_PROBLEMS.map(({ example }) => example.code);
    expect(codes).toEqual([...new Set(Object.values(PROBLEMS).map(({ code }) => code))]);
  });

  it.each(EXPLAINED_PROBLEMS)('D15 $example.code is explained in whole sentences', ({ meaning, retry }) => {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(retry).toMatch(/^(Yes|No|Once)\b.*\.$/);
  });
});

import { EXPLAINED_PROBLEMS, problemOfStatus, PROBLEMS } from './problem-definitions';

const problems = Object.values(PROBLEMS);

describe('PROBLEMS', () => {
  it.each(problems)('D15 $code is defined: an error status, a kebab-case code and a sentence', (problem) => {
    expect(problem).toEqual({
      status: expect.any(Number),
      code: expect.stringMatching(/^[a-z]+(-[a-z]+)*$/),
      detail: expect.stringMatching(/^[A-Z].*\.$/),
    });
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
  });

  it('D15 a code has one status', () => {
    for (const { code, status } of problems) {
      expect(problems.filter((other) => other.code === code && other.status !== status)).toEqual([]);
    }
  });
});

describe('problemOfStatus', () => {
  it.each([
    [401, 'authentication-required'],
    [403, 'forbidden'],
    [503, 'overloaded'],
    [418, 'bad-request'],
    [599, 'internal-error'],
  ])('the status %d of an exception of a team has the code %s', (status, code) => {
    expect(problemOfStatus(status).code).toBe(code);
  });
});

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

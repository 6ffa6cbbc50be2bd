import { problemResponse } from './problem-response';

const PROBLEM = { status: 409, code: 'no-tariff', detail: 'No tariff.' };
const MEDIA_TYPE = 'application/problem+json';

/** The value of the one example of a documented problem. */
const exampleOf = (...documented: Parameters<typeof problemResponse>): unknown =>
  problemResponse(...documented).content?.[MEDIA_TYPE]?.examples?.[PROBLEM.code];

describe('D72 the example of a documented problem', () => {
  it('is behind the base path', () => {
    const value = { ...PROBLEM, type: '/base/problems#no-tariff', instance: '/base/team' };
    expect(exampleOf({ problem: PROBLEM }, '/team', '/base')).toMatchObject({ value });
  });

  it('names no template in its path', () => {
    expect(exampleOf({ problem: PROBLEM }, '/team/{id}', '')).toMatchObject({ value: { instance: '/team/A-1001' } });
  });

  it('has the identifier that causes it', () => {
    const example = exampleOf({ problem: PROBLEM, id: '-' }, '/team/{id}', '');
    expect(example).toMatchObject({ value: { instance: '/team/-' } });
  });
});

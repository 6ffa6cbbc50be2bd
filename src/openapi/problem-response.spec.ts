import type { OpenAPIObject } from '@nestjs/swagger';
import { documentedProblems, problemResponse } from './problem-response';

const PROBLEM = { status: 409, code: 'no-tariff', detail: 'No <tariff> & carrier.' };
const MEDIA_TYPE = 'application/problem+json';

/** The value of the one example of a documented problem. */
const exampleOf = (...documented: Parameters<typeof problemResponse>): unknown =>
  problemResponse(...documented).content?.[MEDIA_TYPE]?.examples?.[PROBLEM.code];

const documentWith = (example: object): OpenAPIObject => {
  const response = { description: '', content: { [MEDIA_TYPE]: { examples: { example } } } };
  return {
    openapi: '3.1.0',
    info: { title: '', version: '' },
    paths: { '/a': { get: { responses: { 409: response } } } },
  };
};

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

describe('D15 the page of problems explains', () => {
  it('each example of a problem, its text made safe for HTML', () => {
    const explained = { ...PROBLEM, detail: 'No &lt;tariff> &amp; carrier.' };
    expect(documentedProblems(documentWith({ value: PROBLEM }))).toEqual([explained]);
  });

  it.each([{}, { value: null }, { value: { ...PROBLEM, code: '"><script>' } }])('nothing of %j', (example) => {
    expect(documentedProblems(documentWith(example))).toEqual([]);
  });
});

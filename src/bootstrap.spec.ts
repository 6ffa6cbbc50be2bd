import { pino } from 'pino';
import { reportStart, type StartFacts } from './bootstrap';

const FACTS: StartFacts = {
  address: 'http://127.0.0.1:3000',
  docs: 'http://127.0.0.1:3000/docs',
  externalSystem: 'http://127.0.0.1:4000/',
  embeddedSandbox: true,
};

function logged(facts: StartFacts, isPretty: boolean): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { base: null, timestamp: false },
    { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) },
  );
  reportStart(logger, facts, isPretty);
  return lines;
}

describe('reportStart', () => {
  it('D39 logs three lines for people', () => {
    expect(logged(FACTS, true).map(({ msg }) => msg)).toEqual([
      'Service:         http://127.0.0.1:3000',
      'Documentation:   http://127.0.0.1:3000/docs',
      'External system: embedded sandbox http://127.0.0.1:4000/',
    ]);
    expect(logged({ ...FACTS, docs: undefined, embeddedSandbox: false }, true).map(({ msg }) => msg)).toEqual([
      'Service:         http://127.0.0.1:3000',
      'Documentation:   off',
      'External system: http://127.0.0.1:4000/',
    ]);
  });

  it('D39 logs one line with its fields for programs', () => {
    const msg =
      'Listening on http://127.0.0.1:3000, docs at http://127.0.0.1:3000/docs, external system embedded sandbox http://127.0.0.1:4000/';
    expect(logged(FACTS, false)).toEqual([{ level: 30, ...FACTS, msg }]);
    const external: StartFacts = { ...FACTS, docs: undefined, embeddedSandbox: false };
    const [line] = logged(external, false);
    expect(line).toMatchObject({ msg: 'Listening on http://127.0.0.1:3000, external system http://127.0.0.1:4000/' });
    expect(line).not.toHaveProperty('docs');
  });
});

import { Logger } from '@nestjs/common';
import { CredentialState } from './credential-state';

describe('CredentialState', () => {
  let state: CredentialState;
  let logged: string[];

  beforeEach(() => {
    jest.useFakeTimers();
    state = new CredentialState();
    logged = [];
    for (const level of ['warn', 'log'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation((...[text]: unknown[]) => {
        logged.push(`${level} ${String(text)}`);
      });
    }
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const warning = (status: number, operation: string): string =>
    `warn The external system refuses the credentials of the service: status ${status} for ${operation}`;
  const recovery = (operation: string): string =>
    `log The external system accepts the credentials of the service for ${operation}`;

  it('D25 logs each change of an operation once', () => {
    for (const status of [200, 401, 401, 401, 200, 200]) state.responded('paged', status);
    for (const status of [403, 403, 404]) state.responded('details', status);
    expect(logged).toEqual([warning(401, 'paged'), recovery('paged'), warning(403, 'details'), recovery('details')]);
  });

  it.each([302, 400, 408, 429, 500, 503])('D25 %d neither refuses nor accepts', (status) => {
    state.responded('paged', status);
    state.responded('paged', 401);
    state.responded('paged', status);
    expect(logged).toEqual([warning(401, 'paged')]);
  });

  it('D25 keeps the operations apart', () => {
    for (const operation of ['paged', 'details']) state.responded(operation, 403);
    state.responded('paged', 200);
    expect(logged).toEqual([warning(403, 'paged'), warning(403, 'details'), recovery('paged')]);
  });

  it('D25 reports an operation once a minute where its requests are accepted and refused in turn', () => {
    for (let request = 0; request < 120; request += 1) {
      state.responded('paged', request % 2 === 0 ? 403 : 200);
      jest.advanceTimersByTime(500);
    }
    expect(logged).toEqual([warning(403, 'paged'), recovery('paged')]);
    state.responded('paged', 403);
    expect(logged).toHaveLength(3);
  });
});

import { Logger } from '@nestjs/common';

/** What a test has logged through Nest's logger as information and warnings, and that is not written then. */
export function useLoggedLines(): string[] {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    for (const level of ['log', 'warn'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation((...[line]: unknown[]) => lines.push(String(line)));
    }
  });
  return lines;
}

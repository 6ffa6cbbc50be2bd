/** Variables of this process during each test of a suite; tests may give them other values. */
export function useEnvironment(variables: Readonly<Record<string, string>>): void {
  beforeEach(() => Object.assign(process.env, variables));
  afterEach(() => {
    for (const name of Object.keys(variables)) Reflect.deleteProperty(process.env, name);
  });
}

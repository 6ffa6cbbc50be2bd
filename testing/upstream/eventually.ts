/** Waits until a condition is true, for what happens after a response, such as a log line or the end of a call. */
export async function eventually(isTrue: () => boolean | Promise<boolean>, withinMs = 100_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

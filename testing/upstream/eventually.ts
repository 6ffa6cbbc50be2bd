/** Waits until something that happens after a response (a log line, a call given up) has happened. */
export async function eventually(holds: () => boolean | Promise<boolean>, withinMs = 100_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not happen within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

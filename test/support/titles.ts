const LENGTH = 60;

/**
 * Rows for `it.each` with `%s`: each row behind a title of its own. A title is cut off at 60 characters, so that a long
 * value does not fill the screen.
 */
export function titled<const Row extends readonly unknown[]>(
  rows: readonly Row[],
  titleOf: (row: NoInfer<Row>) => string,
): (readonly [title: string, ...Row])[] {
  return rows.map((row) => {
    const title = titleOf(row);
    return [title.length > LENGTH ? `${title.slice(0, LENGTH - 1)}…` : title, ...row] as const;
  });
}

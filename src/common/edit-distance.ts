/**
 * The known name that is nearest to a name, ignoring case.
 *
 * @param maxDifferent the share of the characters of the longer name that may differ, from 0 to 1
 * @returns `undefined` where none is near
 */
export function nearestName(name: string, known: readonly string[], maxDifferent = 0.4): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, share: editDistance(name, candidate) / Math.max(name.length, candidate.length) }))
    .sort((left, right) => left.share - right.share);
  const [nearest] = ranked;
  return nearest !== undefined && nearest.share <= maxDifferent ? nearest.candidate : undefined;
}

/** How many characters have to be inserted, removed or replaced (Levenshtein), ignoring case. */
function editDistance(from: string, to: string): number {
  const [left, right] = [[...from.toLowerCase()], [...to.toLowerCase()]];
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (const [row, character] of left.entries()) {
    const current = [row + 1];
    for (const [column, other] of right.entries()) {
      const replaced = (previous[column] ?? 0) + (character === other ? 0 : 1);
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}

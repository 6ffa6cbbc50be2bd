/**
 * Folds a text so that two texts differing only in case become equal, for letters of every script: `STRASSE` and
 * `Straße` fold alike, and so do the two small forms of sigma.
 */
export function foldCase(text: string): string {
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

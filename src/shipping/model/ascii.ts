/**
 * Lower case for comparing names, which are ASCII: letters beyond it, such as the Kelvin sign, never become one of
 * theirs.
 */
export function asciiLowerCase(text: string): string {
  return /[\x80-\uffff]/.test(text) ? text : text.toLowerCase();
}

/**
 * Lower case for comparing ASCII names: letters beyond ASCII, such as the Kelvin sign, never equal one of them.
 */
export function asciiLowerCase(text: string): string {
  return /[\x80-\uffff]/.test(text) ? text : text.toLowerCase();
}

/** Whether a text consists of visible ASCII characters and spaces, which HTTP headers carry unchanged. */
export function isPrintableAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

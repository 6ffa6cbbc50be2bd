/**
 * The text of a body in UTF-8, without its byte order mark.
 *
 * @param maxBytes of the decoded body, so that a small compressed one cannot fill the memory
 * @returns `undefined` where the body is larger
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

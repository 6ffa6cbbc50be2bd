import { JoinedChunks } from './joined-chunks';

/**
 * The text of a body in UTF-8, without its byte order mark.
 *
 * @param maxBytes of the decoded body, so that a small compressed one cannot fill the memory
 * @returns `undefined` where the body is larger
 */
export async function boundedText(response: Response, maxBytes: number): Promise<string | undefined> {
  const joined = new JoinedChunks(maxBytes);
  const body: AsyncIterable<Uint8Array> | readonly Uint8Array[] = response.body ?? [];
  for await (const chunk of body) if (!joined.add(chunk)) return undefined;
  return new TextDecoder().decode(joined.bytes);
}

import type { FastifyReply } from 'fastify';

/**
 * The JSON text of a body, to return from a controller instead of the body. Nest keeps what a controller returns until
 * the response is sent: the body could be collected only then, and so could the text if it were returned itself (D59).
 */
class JsonText {
  constructor(private text: string | Buffer | undefined) {}

  /** Hands over the text, and no longer refers to it. */
  take(): string | Buffer {
    const { text = '' } = this;
    this.text = undefined;
    return text;
  }
}

/** Makes a controller respond with a JSON text. Return the result from the controller. */
export function sendJsonText(reply: FastifyReply, text: string | Buffer): object {
  reply.header('Content-Type', 'application/json; charset=utf-8').serializer(serialize);
  return new JsonText(text);
}

/**
 * Fastify sends a buffer as well, although its types name texts only. Where a hook fails later, an exception filter
 * sends another body with this serializer.
 */
function serialize(body: unknown): string {
  return body instanceof JsonText ? (body.take() as string) : JSON.stringify(body);
}

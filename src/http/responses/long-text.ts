/** Texts of at least so many characters are sent as bytes, see {@link heldOutsideHeap}. */
const LONG_TEXT = 65_536;

/**
 * Turns a long text into bytes, which V8 keeps outside its heap. Node releases the unread responses of a closed
 * connection only after it has processed all that had arrived; until then more responses may be made, and as texts they
 * would fill the heap and end the process.
 */
export function heldOutsideHeap<Payload>(payload: Payload): Payload | Buffer {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? Buffer.from(payload) : payload;
}

/**
 * Memory of the objects from which a long JSON text was made, by the length of the text: a list of 10,000 records has
 * 2.9 MB as JSON and takes 8 MB as objects. Nest keeps them until the response is sent.
 */
const OBJECTS_PER_TEXT = 3;

/** Memory of the objects that a payload was made from; small ones do not count. */
export function bytesOfObjects(payload: unknown): number {
  return typeof payload === 'string' && payload.length >= LONG_TEXT ? OBJECTS_PER_TEXT * payload.length : 0;
}

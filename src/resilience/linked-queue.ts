interface MutableNode<T> {
  readonly value: T;
  before: MutableNode<T> | undefined;
  after: MutableNode<T> | undefined;
}

/** The node of a value in a {@link LinkedQueue}. */
export type QueueNode<T> = Readonly<MutableNode<T>>;

/**
 * A queue, first in, first out, from which any value can be removed in constant time. (A `Set` keeps the order too, but
 * reading its first element walks over the removed ones.)
 */
export class LinkedQueue<T> {
  private head: MutableNode<T> | undefined;
  private last: MutableNode<T> | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** The next value. */
  get first(): T | undefined {
    return this.head?.value;
  }

  /** From the first to the last; the value at hand may be removed. */
  *[Symbol.iterator](): Iterator<T> {
    let node = this.head;
    while (node !== undefined) {
      const { after } = node;
      yield node.value;
      node = after;
    }
  }

  push(value: T): QueueNode<T> {
    const node: MutableNode<T> = { value, before: this.last, after: undefined };
    if (this.last === undefined) {
      this.head = node;
    } else {
      this.last.after = node;
    }
    this.last = node;
    this.count += 1;
    return node;
  }

  shift(): T | undefined {
    const node = this.head;
    if (node !== undefined) {
      this.remove(node);
    }
    return node?.value;
  }

  /**
   * Removes a value, if it is still in the queue. The node drops its references: an old node would keep all later nodes
   * alive until the next full garbage collection.
   */
  remove(removed: QueueNode<T>): void {
    const node: MutableNode<T> = removed;
    const { before, after } = node;
    if (before === undefined && this.head !== node) return;
    node.before = undefined;
    node.after = undefined;
    if (before === undefined) {
      this.head = after;
    } else {
      before.after = after;
    }
    if (after === undefined) {
      this.last = before;
    } else {
      after.before = before;
    }
    this.count -= 1;
  }
}

interface Node<T> {
  readonly value: T;
  before: Node<T> | undefined;
  after: Node<T> | undefined;
}

/** Where a value stands in a {@link WaitingList}. */
export type Standing<T> = Readonly<Node<T>>;

/**
 * First in, first out, and whoever leaves early does so in constant time. (A `Set` keeps the order too, but taking its
 * first element walks over the places of those who left.)
 */
export class WaitingList<T> {
  private head: Node<T> | undefined;
  private last: Node<T> | undefined;
  private count = 0;

  get size(): number {
    return this.count;
  }

  /** Whose turn is next. */
  get first(): T | undefined {
    return this.head?.value;
  }

  push(value: T): Standing<T> {
    const node: Node<T> = { value, before: this.last, after: undefined };
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
   * Removes a value, if it is still in the list. It lets go of its neighbours: an old place that still pointed to the next
   * one would keep it, and all that came after it, alive until the next full collection.
   */
  remove(standing: Standing<T>): void {
    const node: Node<T> = standing;
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

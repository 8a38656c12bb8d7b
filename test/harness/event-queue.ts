interface Event<T> {
  atNs: number;
  order: number;
  item: T;
}

/** Events by time, and by insertion where times are equal: a binary heap, plain rather than fast. */
export class EventQueue<T> {
  private readonly heap: Event<T>[] = [];
  private inserted = 0;

  get nextNs(): number {
    return this.heap.length > 0 ? this.heap[0].atNs : Number.POSITIVE_INFINITY;
  }

  push(atNs: number, item: T): void {
    const { heap } = this;
    heap.push({ atNs, order: this.inserted++, item });
    let at = heap.length - 1;
    while (at > 0 && this.isBefore(at, (at - 1) >> 1)) {
      this.swap(at, (at - 1) >> 1);
      at = (at - 1) >> 1;
    }
  }

  /** The earliest item. There must be one. */
  pop(): T {
    const { heap } = this;
    this.swap(0, heap.length - 1);
    const { item } = heap.pop() as Event<T>;
    let at = 0;
    for (;;) {
      let first = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.isBefore(child, first)) first = child;
      }
      if (first === at) return item;
      this.swap(at, first);
      at = first;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [first, second] = [this.heap[a], this.heap[b]];
    return first.atNs < second.atNs || (first.atNs === second.atNs && first.order < second.order);
  }

  private swap(a: number, b: number): void {
    [this.heap[a], this.heap[b]] = [this.heap[b], this.heap[a]];
  }
}

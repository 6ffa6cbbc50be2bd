import type { Answer } from './answers.ts';
import type { PagedShippingList } from './generated/types.gen.ts';

/** Pages of one list, read one after the other. */
export class PageSequence {
  private readonly seen = new Set<string>();
  private totalCount: number | undefined;
  /** Records that appear or vanish move others to another page, so that a record may rightly come again. */
  private hasChanged = false;

  /**
   * Tells what speaks against a page as the next one: that records are missing on it, or come again although the list has
   * not changed, as where an external system sorts equal records anew for each page.
   *
   * @returns nothing where it is sound
   */
  contradictionIn({ data, completeness }: Answer<PagedShippingList>): string | undefined {
    const { items, pageNumber, pageSize, totalCount } = data;
    const { dropped = 0 } = completeness;
    const counted = Math.min(pageSize, Math.max(0, totalCount - (pageNumber - 1) * pageSize));
    if (items.length > counted || items.length + dropped < counted) {
      return `shows ${items.length} records of the ${counted} that page ${pageNumber} has by totalCount`;
    }
    this.totalCount ??= totalCount;
    if (totalCount !== this.totalCount) this.hasChanged = true;
    const again = this.firstRepeated(items);
    return again === undefined ? undefined : `shows the record ${again} again`;
  }

  private firstRepeated(items: PagedShippingList['items']): string | undefined {
    const before = this.hasChanged ? new Set<string>() : this.seen;
    for (const { id } of items) {
      if (before.has(id)) return id;
      before.add(id);
    }
    return undefined;
  }
}

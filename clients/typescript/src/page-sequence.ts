import type { PagedShippingList } from './generated/types.gen.ts';
import type { Answer } from './responses.ts';

/** Checks the pages of one list, which are read one after the other. */
export class PageSequence {
  private readonly seen = new Set<string>();
  private totalCount: number | undefined;
  /**
   * Set when `totalCount` has changed: records have then moved to other pages, and it is no fault that one comes twice.
   */
  private hasChanged = false;

  /**
   * Checks the next page: whether it has fewer records than it should, or a record of an earlier page although the list
   * has not changed. Records come twice where an external system sorts those with equal sort keys differently for each
   * page, and other records are then on no page.
   *
   * @returns what is wrong with the page; `undefined` where nothing is
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

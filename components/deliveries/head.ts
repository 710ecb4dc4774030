import type { DeliveryResource } from '@/server/services/contract';
import { needsMore } from './merge';

export interface DeliveryPage {
  data: DeliveryResource[];
  next_cursor: string | null;
}

const MOST_PAGES = 4;

/** The list's head as it is now, reaching down as far as unfinished rows are shown, within four pages. */
export async function fetchHead(
  fetchPage: (cursor: string | undefined) => Promise<DeliveryPage>,
  shown: readonly DeliveryResource[],
): Promise<DeliveryPage> {
  let head = await fetchPage(undefined);
  for (let page = 1; page < MOST_PAGES && head.next_cursor && needsMore(shown, head.data); page += 1) {
    const next = await fetchPage(head.next_cursor);
    head = { data: [...head.data, ...next.data], next_cursor: next.next_cursor };
  }
  return head;
}

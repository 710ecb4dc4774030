import { expect, it, vi } from 'vitest';
import { makeQueryClient } from './query-client';

it('console.md a first screen that is refused is asked for once: the page does not wait to say so', async () => {
  const queryFn = vi.fn(() => Promise.reject(new Error('There is nothing here.')));
  await makeQueryClient().prefetchQuery({ queryKey: ['gone'], queryFn });
  expect(queryFn).toHaveBeenCalledTimes(1);
});

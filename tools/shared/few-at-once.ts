/** Maximum number of reads of the services of an environment, or of several, at the same time. */
export const mostAtOnce = 8;

/**
 * Runs a function for each item, in order and a few at a time, such as reads of a platform. After a failure, no more
 * are started.
 * @throws the first failure.
 */
export async function fewAtOnce<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  most = mostAtOnce,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  let hasFailed = false;
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      if (hasFailed) return;
      // So that no more than a few run at a time.
      results[index] = await run(item).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      });
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
}

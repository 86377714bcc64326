import { expect, test } from 'vitest';
import { joined } from '../../../src/platform/common/index.ts';

interface Task {
  readonly key: string;
  readonly values: readonly number[];
  readonly end: PromiseWithResolvers<string>;
}

/** Tasks in the order in which they began. */
function observed() {
  const tasks: Task[] = [];
  const ask = joined((key: string, values: readonly number[]) => {
    const end = Promise.withResolvers<string>();
    tasks.push({ key, values: [...values], end });
    return end.promise;
  });
  const begun = (count: number) => expect.poll(() => tasks.length).toBe(count);
  return { tasks, ask, begun };
}

test('those that arrive while a task is under way are joined in one that begins after it', async () => {
  const { tasks, ask, begun } = observed();
  const first = ask('a', 1);
  const later = [ask('a', 2), ask('a', 3)];
  const other = ask('b', 4);
  expect(tasks.map(({ key, values }) => [key, values])).toEqual([
    ['a', [1]],
    ['b', [4]],
  ]);
  tasks[0]!.end.resolve('one');
  expect(await first).toEqual(['one', 0]);
  await begun(3);
  const last = ask('a', 5);
  expect(tasks[2]).toMatchObject({ key: 'a', values: [2, 3] });
  tasks[2]!.end.resolve('two');
  expect(await Promise.all(later)).toEqual([
    ['two', 0],
    ['two', 1],
  ]);
  await begun(4);
  tasks[3]!.end.resolve('three');
  tasks[1]!.end.resolve('other');
  expect(await Promise.all([last, other])).toEqual([
    ['three', 0],
    ['other', 0],
  ]);
  const again = ask('a', 6);
  expect(tasks[4]).toMatchObject({ key: 'a', values: [6] });
  tasks[4]!.end.resolve('four');
  expect(await again).toEqual(['four', 0]);
});

test('a task that fails fails for those that it was done for, and for no others', async () => {
  const { tasks, ask, begun } = observed();
  const [first, second] = [ask('a', 1), ask('a', 2)];
  tasks[0]!.end.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await begun(2);
  tasks[1]!.end.resolve('back');
  expect(await second).toEqual(['back', 0]);
});

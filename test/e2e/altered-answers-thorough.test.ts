import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import { checkAlteredAnswers } from '../support/altered-answers.ts';

// They make the platform refuse what comes after.
const untried = ['lock_cluster', 'upgrade_cluster'];

// SEED chooses others.
test('whatever is altered in 2,000 answers, each tool does without it or says what is missing', async () => {
  const {
    altered,
    complaints,
    tools: reached,
  } = await checkAlteredAnswers({ alterations: 2_000, seed: Number(process.env['SEED'] ?? 2_026) });
  expect(complaints).toEqual([]);
  expect(altered).toBe(2_000);
  expect([...reached].toSorted()).toEqual(
    tools
      .map(({ name }) => name)
      .filter((name) => !untried.includes(name))
      .toSorted(),
  );
});

import { expect, test } from 'vitest';
import { checkAlteredAnswers } from '../support/altered-answers.ts';

test('whatever is altered in an answer, a tool does without it or says what is missing', async () => {
  const { altered, complaints } = await checkAlteredAnswers({ alterations: 60, seed: 14 });
  expect(complaints).toEqual([]);
  expect(altered).toBe(60);
}, 120_000);

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lifeStages } from '../../scripts/docs/life-of-a-deployment.ts';
import { serviceSteps } from '../../src/platform/engine/index.ts';
import { root } from './pages.ts';

test.each(lifeStages)('the stage "$title" is done by the function and in the file that it names', ({ by, file }) => {
  expect(readFileSync(join(root, file), 'utf8')).toMatch(
    new RegExp(`^export (?:async )?(?:function|const) ${by.name}\\b`, 'm'),
  );
});

test('the stages have every step of the engine, each once', () => {
  expect(lifeStages.filter(({ by }) => by.name === 'serviceSteps')).toHaveLength(serviceSteps.length);
  expect(new Set(lifeStages.map(({ title }) => title)).size).toBe(lifeStages.length);
});

test('a message of the diagram has nothing that ends it early', () => {
  for (const { messages } of lifeStages) for (const [, , text] of messages) expect(text).not.toMatch(/[;#\n]/);
});

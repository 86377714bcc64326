import { expect, test } from 'vitest';
import { ApiError } from '../../src/client/index.ts';
import { operations } from '../../src/contract/index.ts';
import { CallFailure, isDenied } from '../../src/server/failure/index.ts';
import type { ToolContext } from '../../src/server/tool/index.ts';
import { placesWithin } from '../../tools/shared/places-of-choice.ts';

/** ToolContext of a platform with one environment, whose wide lists fail like this. */
const failing = (error: unknown) => {
  const answers: Readonly<Record<string, unknown>> = {
    get_organization: { id: 'o' },
    list_projects: { results: [{ id: 'p', name: 'shop' }] },
    list_environments: { results: [{ id: 'e' }] },
  };
  const read = async ({ name }: { name: string }) => {
    if (answers[name] === undefined) throw error;
    return answers[name];
  };
  return { read, attempt: read, before: read, isDenied } as unknown as ToolContext;
};

const failure = (kind: ApiError['kind']) =>
  new ApiError(operations.list_environments_of_organization.name, { kind, reason: 'x', next: 'y' });
const denied = new CallFailure({ kind: 'denied', denial: { rule: 'r', setBy: 'the policy', instead: 'i' } });

test.each<[string, unknown]>([
  ['the policy denies', denied],
  ['the platform does not offer', failure('not_offered')],
  ['the token may not read', failure('forbidden')],
])('a wide list that %s is done without', async (_, error) => {
  expect(await placesWithin({}, failing(error))).toEqual([{ environment: { id: 'e', project_name: 'shop' } }]);
});

test.each<[string, unknown]>([
  ['a cancelled call', failure('canceled')],
  ['a defect', new TypeError('x is not a function')],
  ['a platform that is not there', failure('unreachable')],
])('%s is no reason to read one by one', async (_, error) => {
  await expect(placesWithin({}, failing(error))).rejects.toBe(error);
});

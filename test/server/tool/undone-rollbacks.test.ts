import { expect, test } from 'vitest';
import { ApiError } from '../../../src/client/index.ts';
import { undoneRollbacksAmong } from '../../../src/server/tool/preview/undone-rollbacks.ts';
import { fakeReader, type Answers } from '../guard/fake-reader.ts';

const left = 'b'.repeat(40);
const running = 'a'.repeat(40);

const deployment = (git_commit_id: string) => ({
  identifier: { name: 'x', execution_id: git_commit_id },
  status: 'DEPLOYED',
  details: { commit: { git_commit_id } },
  status_details: { action: 'DEPLOY', status: 'SUCCESS' },
});
const rolledBack = { results: [running, left, running].map(deployment) };

const application = (name: string, deployed_commit_id = running) => ({
  id: `id of ${name}`,
  name,
  service_type: 'APPLICATION',
  git_repository: { url: 'https://git.example/a.git', branch: 'main', deployed_commit_id },
});

const ask = async (
  answers: Answers,
  services: readonly ReturnType<typeof application>[],
  commitOf?: () => string | undefined,
) => {
  let reads = 0;
  const lines = await undoneRollbacksAmong(
    services,
    fakeReader(answers, () => (reads += 1)),
    commitOf,
  );
  return { lines: lines.map((line) => (typeof line === 'string' ? { text: line, agreed: line } : line)), reads };
};

test('the applications of a list that were rolled back are warned of, each by its name', async () => {
  const { lines, reads } = await ask({ list_application_deployments: rolledBack }, [
    application('api'),
    application('web'),
  ]);
  expect(lines.map((line) => 'warning' in line && line.warning)).toEqual(
    ['api', 'web'].map((service) => ({ code: 'ROLLBACK_UNDONE', service, left, running })),
  );
  expect(reads).toBe(2);
});

test.each<[string, string, number]>([
  ['the commit that runs', running, 0],
  ['an older commit than that', 'c'.repeat(40), 1],
])('deploying %s undoes no rollback', async (_, commit, expected) => {
  const older = { results: [running, left, running, 'c'.repeat(40)].map(deployment) };
  const { lines, reads } = await ask({ list_application_deployments: older }, [application('api')], () => commit);
  expect([lines, reads]).toEqual([[], expected]);
});

const failing = () => {
  throw new ApiError('list_application_deployments', { kind: 'server_error', reason: 'it failed', next: '' });
};

test('a history that can not be read is no obstacle, and not taken for one without a rollback', async () => {
  for (const answers of [{}, { list_application_deployments: failing }]) {
    const { lines } = await ask(answers, [application('api')]);
    expect(lines).toEqual([{ text: expect.stringContaining('api') as string, agreed: '' }]);
  }
});

test('of very many applications ten histories are read, and the others are named', async () => {
  const many = Array.from({ length: 12 }, (_, index) => application(`app-${index}`));
  const { lines, reads } = await ask({ list_application_deployments: { results: [deployment(running)] } }, many);
  expect(reads).toBe(10);
  expect(lines).toEqual([{ text: expect.stringMatching(/app-10, app-11/) as string, agreed: '' }]);
});

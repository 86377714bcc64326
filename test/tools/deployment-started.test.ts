import { expect, test } from 'vitest';
import { afterwards, startedAnswer } from '../../tools/shared/deployment-started.ts';
import { awaitEnd } from '../../tools/shared/wait-for-end.ts';
import type { ToolContext } from '../../src/server/tool/index.ts';

const status = { state: 'DEPLOYING', deployment_request_id: 'd-1' };

/** ToolContext of a platform where nothing ever ends, for a caller whose time is over. */
const context = {
  resolved: {},
  done: [],
  sent: [{ environment_id: 'e-1' }],
  lacks: () => false,
  now: () => 0,
  isAborted: () => true,
  attempt: async () => ({ ...status, environment: status }),
} as unknown as ToolContext;

test.each([
  ['environment', { environment: 'e-1' }],
  ['container', { service: 'e-1' }],
] as const)('whoever waited in vain for a deployment of a %s is told to wait for that again', async (kind, subject) => {
  const view = await afterwards(context, { kind, id: 'e-1' }, { action: 'RESTART', answer: status, wait: true });
  expect(view).toMatchObject({ outcome: 'running' });
  expect(startedAnswer.next(view)).toEqual([
    {
      tool: 'wait_for_deployment',
      arguments: { ...subject, deployment_id: 'd-1', action: 'RESTART' },
      why: 'it has not ended yet',
    },
  ]);
});

test('a deployment that the platform never showed is not told to go on', async () => {
  const unknown = await awaitEnd(context, { kind: 'container', id: 's-1' }, { action: 'DEPLOY', deployment: 'd-2' });
  expect(unknown).toMatchObject({ outcome: 'not_seen', status });
  const never = { ...context, attempt: async () => ({ state: 'READY' }) } as unknown as ToolContext;
  expect(await awaitEnd(never, { kind: 'container', id: 's-1' }, { action: 'DEPLOY' })).toMatchObject({
    outcome: 'never_deployed',
  });
});

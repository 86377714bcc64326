import { expect, test } from 'vitest';
import { observedStatusOf } from '../../../../src/platform/engine/observed-status.ts';
import type { DockerTask } from '../../../../src/platform/runtime/docker/api/index.ts';
import { lostWithNodes } from '../../../../src/platform/runtime/docker/nodes/lost-nodes.ts';
import { deploymentLabels } from '../../../../src/platform/runtime/docker/labels.ts';
import type { RunningVersion } from '../../../../src/platform/runtime/index.ts';
import { startFakeEngine } from './fake-engine.ts';

const version = {
  deploymentId: 'd1',
  service: {
    id: '0f7e1a52-91c4-4c39-9a5e-5a0f2b9f8a11',
    name: 'files',
    environmentId: 'e',
    kind: 'container',
    spec: {},
  },
  runningSince: 0,
} as unknown as RunningVersion;

/**
 * What the log of a service says when its instance is lost with the node `node-2`.
 * @param constraints of the instance
 */
async function toldOf(constraints: readonly string[]): Promise<string> {
  const nodes = [
    {
      ID: 'n2',
      UpdatedAt: '2026-11-20T10:20:00.5Z',
      Spec: {},
      Description: { Hostname: 'node-2' },
      Status: { State: 'down' },
    },
  ];
  const { docker } = await startFakeEngine((response) => response.end(JSON.stringify(nodes)));
  const task = {
    ID: 'task1',
    Slot: 1,
    NodeID: 'n2',
    DesiredState: 'shutdown',
    Status: { State: 'running' },
    Spec: {
      ContainerSpec: { Labels: deploymentLabels('p', version) },
      ...(constraints.length > 0 && { Placement: { Constraints: constraints } }),
    },
  } as unknown as DockerTask;
  const ends = await lostWithNodes({ docker }, version, [task], [], new AbortController().signal);
  const status = observedStatusOf(undefined, 'd1', {
    serviceId: version.service.id,
    wanted: 1,
    running: 0,
    ends,
    changes: [],
  });
  return status!.lines.map(({ message }) => message).join('\n');
}

const lost =
  'Instance files-1-task1 is gone: it was lost with the node node-2, which went down at 2026-11-20T10:20:00Z or earlier.';

test('the log says that another instance is started elsewhere only where one may be', async () => {
  expect(await toldOf([])).toBe(`${lost} Another one is started on another node, if one fits and has room.`);
  expect(await toldOf(['node.labels.disk==ssd'])).toContain('Another one is started on another node');
  expect(await toldOf(['node.id==n2'])).toBe(
    `${lost} It can only run there, and is started again when that node is back.`,
  );
});

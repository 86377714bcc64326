import { expect, test } from 'vitest';
import { createAgents } from '../../../../../src/platform/runtime/docker/agent/agents.ts';
import { createAgentAuthority } from '../../../../../src/platform/runtime/docker/agent/authority.ts';
import { platformLabels } from '../../../../../src/platform/runtime/docker/labels.ts';
import { startFakeEngine } from '../fake-engine.ts';

const instance = (State: string, CreatedAt: string, Err?: string) => ({
  ID: CreatedAt,
  CreatedAt,
  DesiredState: State === 'running' ? 'running' : 'ready',
  Status: { State, ...(Err && { Err }) },
});

/** The agents of an engine with these instances. @param tasks undefined: there is no such service */
async function agentsWith(tasks: readonly object[] | undefined) {
  const { docker } = await startFakeEngine((response, { url }) => {
    if (url.includes('/tasks'))
      return tasks
        ? response.end(JSON.stringify(tasks))
        : response.writeHead(404).end(JSON.stringify({ message: 'service infra-agent-p1 not found' }));
    if (url.includes('/services'))
      return tasks
        ? response.end(JSON.stringify({ ID: 'agents', Spec: { Labels: platformLabels('p1') } }))
        : response.writeHead(404).end('{}');
    if (url.endsWith('/info')) return response.end(JSON.stringify({ Swarm: { NodeID: 'one' } }));
    const node = {
      ID: 'one',
      Spec: { Availability: 'active' },
      Status: { State: 'ready' },
      Description: { Hostname: 'one' },
    };
    return response.end(JSON.stringify(/\/nodes(?:\?|$)/.test(url) ? [node] : node));
  });
  return createAgents(
    {
      docker,
      platformId: 'p1',
      authority: createAgentAuthority(Buffer.alloc(32, 7)),
      image: 'registry.example/node:24',
      credentialsFor: () => undefined,
      now: () => Date.parse('2026-11-01T00:00:00Z'),
    },
    true,
  );
}

const { signal } = new AbortController();

test('before the platform has started the agents, a node has none, which is no failure', async () => {
  const agents = await agentsWith(undefined);
  expect(await agents.clientOf('two', signal)).toBeUndefined();
  expect(await agents.whyNone('two', signal)).toBe('its agent does not exist yet: the platform starts it');
});

test.each([
  ['it is just started', [instance('preparing', '2026-11-01T00:00:02Z')], 'its agent is not up (preparing)'],
  [
    'it is tried again',
    [
      instance('rejected', '2026-11-01T00:00:01Z', 'No such image: registry.example/node:24'),
      instance('preparing', '2026-11-01T00:00:02Z'),
    ],
    'its agent is not up (preparing): No such image: registry.example/node:24',
  ],
  ['none is there yet', [], 'its agent has not been started yet'],
  ['it runs', [instance('running', '2026-11-01T00:00:02Z')], undefined],
])('an agent that is not up says why, also while it is tried again: %s', async (_, tasks, why) => {
  expect(await (await agentsWith(tasks)).whyNone('two', signal)).toBe(why);
});

test('calls at the same moment share the connections to an agent', async () => {
  const running = {
    ...instance('running', '2026-11-01T00:00:02Z'),
    NetworksAttachments: [{ Network: { Spec: { Name: 'infra-agent-p1' } }, Addresses: ['10.0.1.3/24'] }],
  };
  const agents = await agentsWith([running]);
  const [one, other] = await Promise.all([agents.clientOf('two', signal), agents.clientOf('two', signal)]);
  expect(one).toBeDefined();
  expect(other).toBe(one);
  await agents.close();
});

import { expect, test } from 'vitest';
import { listClusters } from '../../tools/cluster/list-clusters.ts';

const node = { id: 'n1', name: 'node-1', role: 'MANAGER', availability: 'ACTIVE', state: 'READY', state_since: '2026-11-23T05:00:00Z', address: '10.0.0.7', cpu: 4000, cpu_allotted: 300, memory: 8000, memory_allotted: 192, instances: 3 };
const lost = { ...node, id: 'n2', name: 'node-2', role: 'WORKER', state: 'DOWN', instances: 0, cpu_allotted: 0, memory_allotted: 0, address: undefined };

const clusters = [
  { id: 'c1', name: 'local', status: 'DEPLOYED', warnings: ['The node node-2 has been down since 2026-11-23T05:00:00Z or earlier.'], nodes: [node, lost] },
  { id: 'c2', name: 'other', status: 'DEPLOYED' },
];

test('clusters are told in a table, and below it what is wrong with them, and their machines', () => {
  const { render } = listClusters;
  const view = render.view({ results: clusters });
  expect(render.text(view)).toBe(`2 clusters
name | id | status
local | c1 | DEPLOYED
other | c2 | DEPLOYED
local: The node node-2 has been down since 2026-11-23T05:00:00Z or earlier.
Nodes of local; CPU in thousandths, memory in MB:
name | role | state | state_since | availability | address | instances | cpu_allotted | cpu | memory_allotted | memory
node-1 | MANAGER | READY | 2026-11-23T05:00:00Z | ACTIVE | 10.0.0.7 | 3 | 300 | 4000 | 192 | 8000
node-2 | WORKER | DOWN | 2026-11-23T05:00:00Z | ACTIVE |  | 0 | 0 | 4000 | 0 | 8000`);
  expect(view['results']).toMatchObject([{ name: 'local', nodes: [{ name: 'node-1' }, { name: 'node-2', state: 'DOWN' }] }, { name: 'other' }]);
});

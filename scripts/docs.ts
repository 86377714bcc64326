/**
 * Writes the pages and manifests that are generated from code. With --check, writes nothing and fails if one is out of
 * date.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { openApiDocument } from '../src/contract/index.ts';
import { agentTasks } from './docs/agent-tasks.ts';
import { testedClients } from './docs/clients.ts';
import { commandsPage, commandTable } from './docs/commands.ts';
import { contentPage } from './docs/content.ts';
import { contractPage } from './docs/contract.ts';
import { errorsPage } from './docs/errors.ts';
import { architecture } from './docs/architecture.ts';
import { lifeOfACallPage } from './docs/life-of-a-call.ts';
import { lifeOfADeploymentPage } from './docs/life-of-a-deployment.ts';
import { replaceGenerated } from './docs/markdown.ts';
import { measurementsTable } from './docs/measurements.ts';
import { metricsTable } from './docs/metrics.ts';
import { operationsPage } from './docs/operations.ts';
import { configurationPage, toolsByToolset, toolsPage } from './docs/pages.ts';
import { scenariosPage } from './docs/scenarios.ts';
import { performanceSections } from './docs/performance.ts';
import { policyPage } from './docs/policy.ts';
import { statesPage } from './docs/states.ts';
import { suitesTable } from './docs/suites.ts';
import { architecturePicture, architecturePicturePath } from './pictures/architecture.ts';
import { about } from './shipping/about.ts';
import { examples } from './shipping/examples.ts';
import { plainManifests } from './shipping/kubernetes.ts';
import { manifests } from './shipping/manifests.ts';
import { systemdUnit, unitPath } from './shipping/systemd.ts';

const { check } = parseArgs({ options: { check: { type: 'boolean', default: false } } }).values;
const root = join(import.meta.dirname, '..');
const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');

const readme = await read('README.md');
const performance = Object.entries(performanceSections()).reduce(
  (page, [name, text]) => replaceGenerated(page, name, text),
  await read('docs/performance.md'),
);
const pages: Readonly<Record<string, string>> = {
  'CONTRIBUTING.md': replaceGenerated(await read('CONTRIBUTING.md'), 'suites', suitesTable()),
  'docs/agent-tasks.md': replaceGenerated(await read('docs/agent-tasks.md'), 'agent tasks', agentTasks()),
  'docs/architecture.md': replaceGenerated(await read('docs/architecture.md'), 'house', architecture()),
  'docs/commands.md': commandsPage(),
  'docs/configuration.md': configurationPage(),
  'docs/connect.md': replaceGenerated(await read('docs/connect.md'), 'tested clients', testedClients()),
  'docs/contract.md': contractPage(),
  'docs/errors.md': errorsPage(),
  'docs/life-of-a-call.md': lifeOfACallPage(),
  'docs/life-of-a-deployment.md': lifeOfADeploymentPage(),
  'docs/measurements.md': replaceGenerated(await read('docs/measurements.md'), 'measurements', measurementsTable()),
  'docs/metrics.md': replaceGenerated(await read('docs/metrics.md'), 'metrics', metricsTable()),
  'docs/performance.md': performance,
  'docs/policy.md': policyPage(),
  'docs/tools.md': toolsPage(),
  'docs/operations.md': operationsPage(),
  'docs/resources.md': await contentPage(),
  'docs/states.md': statesPage(),
  'docs/scenarios.md': scenariosPage(),
  [architecturePicturePath]: architecturePicture(),
  'docs/openapi.json': `${JSON.stringify(openApiDocument(), null, 1)}\n`,
  ...manifests,
  ...examples,
  [unitPath]: systemdUnit(),
  'deploy/kubernetes/infra-mcp.yaml': await plainManifests({ name: about.name, appVersion: about.version }),
  'README.md': replaceGenerated(replaceGenerated(readme, 'commands', commandTable()), 'tools', toolsByToolset()),
};

const stale: string[] = [];
for (const [path, text] of Object.entries(pages)) {
  if (text === (await read(path).catch(() => undefined))) continue;
  stale.push(path);
  if (check) continue;
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

if (stale.length === 0) console.log('All generated files are up to date.');
else if (check) {
  console.error(`Out of date: ${stale.join(', ')}. Run npm run docs and commit the result.`);
  process.exitCode = 1;
} else console.log(`Wrote ${stale.join(', ')}.`);

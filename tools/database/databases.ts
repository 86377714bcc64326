import { operations } from '../../src/contract/index.ts';
import {
  creationWarnings,
  defineTool,
  deployment,
  naming,
  record,
  textAt,
  textOf,
  type JsonRecord,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import { serviceUpdate } from '../shared/service-update.ts';
import { ownedVariableReads, seenBy } from '../shared/owned-variables.ts';
import { takenAlong } from '../shared/pending-changes.ts';
import { unlessFailing } from '../shared/places.ts';
import { joined } from '../shared/plan-parts.ts';
import { isKeyOf } from '../shared/variables-not-seen.ts';
import { startMoment } from '../shared/deployment-started.ts';

/** How neighbours connect to a database. */
const givesVariables =
  'The services of its environment see its host, port, name, user and password as BUILT_IN variables, whose keys contain its id.';

/** The keys of the variables that a new database gives its neighbours, if the platform shows them already. */
async function variablesGiven(created: JsonRecord, context: ToolContext): Promise<JsonRecord> {
  const [id, environment] = [textOf(created, 'id'), textAt(created, 'environment.id')];
  if (id === undefined || environment === undefined) return {};
  const seen = await unlessFailing(seenBy('environment', environment, context));
  const keys = [...(seen?.variables ?? []), ...(seen?.secrets ?? [])].map((row) => row['key']).filter(isKeyOf(id));
  return keys.length > 0 ? { variables: keys } : {};
}

export const createDatabase = defineTool(operations.create_database, {
  toolset: 'services',
  title: 'New database: Postgres, MySQL, MongoDB, Redis cache',
  description:
    'Set up, spin up, provision or add a database (db): Postgres (POSTGRESQL), MySQL, MongoDB, Redis (cache); not ' +
    'deployed.',
  fields: { instance_type: 'Size, for MANAGED.' },
  preview: creationWarnings,
  plan: () => [givesVariables],
  reads: [...ownedVariableReads('variables'), ...ownedVariableReads('secrets')],
  answer: async (_, context, [created = {}]) => ({ ...created, ...(await variablesGiven(created, context)) }),
  render: record({ first: ['name', 'id', 'type', 'version', 'mode'] }),
  next: [
    naming`It is not deployed yet: ${'deploy_database'} starts it.`,
    `${givesVariables} They can't be referred to in values, and no tool makes aliases of them: code reads these keys.`,
  ],
});

export const updateDatabase = defineTool(
  operations.update_database,
  serviceUpdate(operations.update_database, {
    title: 'Resize, enlarge or upgrade a database',
    description:
      'Change a database (db): make disk bigger (storage), newer version (upgrade Postgres), more memory, CPU, ' +
      'public access from outside.',
    fields: { storage: 'GB of disk.', instance_type: 'Size, for MANAGED.', accessibility: 'Who reaches it.' },
    folded: [],
  }),
);

export const deployDatabase = defineTool(operations.deploy_database, {
  toolset: 'services',
  title: 'Deploy a database',
  description: 'Deploy, roll out, start or launch a database (db), or apply its changed configuration.',
  preview: joined(deployment, takenAlong),
  ...startMoment('DEPLOY', 'database_id'),
});

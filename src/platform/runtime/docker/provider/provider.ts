import type { RuntimeProvider } from '../../index.ts';
import { untestedDatabases } from '../databases/databases.ts';
import { examineCluster } from '../doctor/examine.ts';
import { gitFindings } from '../doctor/git-programs.ts';
import { findingBuilder } from '../../../common/index.ts';
import { ClusterConfig } from './cluster-config.ts';
import { type ClusterSettings, configOf, readSettings } from './cluster-settings.ts';
import { createCluster } from './create-cluster.ts';
import { openAccess } from './operator-access.ts';

/** The finding about databases whose images this project's tests have never run. */
const databasesFinding = findingBuilder('databases').info(
  `databases of the types ${untestedDatabases.join(' and ')} are untested here`,
  'Try one, with a restart and a new version, before you rely on it.',
);

/** Docker engines in swarm mode. */
export const dockerProvider: RuntimeProvider<ClusterConfig, ClusterSettings> = {
  configSchema: ClusterConfig,
  configOf,
  readSettings,
  create: createCluster,
  examine: examineCluster,
  examineShared: async ({ git }) => [...(await gitFindings(git)), databasesFinding],
  openAccess,
};

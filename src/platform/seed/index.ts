/** The organization the platform starts with. */

export { addAlerts, alertReceiverId, type AlertReceiverToAdd, type AlertRuleToAdd } from './alerts.ts';
export { addClusters, seedEmptyOrganization, type RegistryToAdd } from './empty-organization.ts';
export { organizationId, seedId, seedIds } from './ids.ts';
export { clusterRow } from './organization.ts';
export { seedTime, type SeedTime } from './seed-time.ts';
export { replayOrder } from './replay-history.ts';
export { environmentRow, serviceRows, variableRow, hasExamples, seedPlatform } from './seed.ts';
export {
  application,
  container,
  database,
  gitRepository,
  httpProbe,
  publicPort,
  type SeedService,
} from './services.ts';

/** The embedded platform. */

export type { EngineStatistics } from './engine/index.ts';
export { clusterSecrets, type RealClusters } from './real-clusters.ts';
export { startPlatform, type PlatformOptions, type RunningPlatform } from './platform.ts';
export { readKnownRecords, type KnownRecords, type RecordsPlace } from './store/index.ts';

/** The embedded platform. */

export type { EngineStatistics } from './engine/index.ts';
export { readKnownRecords, type KnownRecords } from './known-records.ts';
export type { RealClusters } from './real-clusters.ts';
export { startPlatform, type PlatformOptions, type RunningPlatform } from './platform.ts';

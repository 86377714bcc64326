import type { ServiceKind, StepName } from '../../../contract/index.ts';
import { secondsBetween, type SecondsRange } from '../../common/index.ts';
import type { Pause } from '../index.ts';

const steps: Readonly<Record<StepName, SecondsRange>> = {
  REGISTRY_CREATE_REPOSITORY: [0, 0], GIT_CLONE: [1, 2], BUILD: [5, 12], MIRROR_IMAGE: [1, 3], DEPLOYMENT_QUEUEING: [0, 0],
  DEPLOYMENT: [4, 8], ROUTER_DEPLOYMENT: [1, 2], EXECUTING: [3, 8], RESTART: [3, 6], STOP: [2, 5],
};

/** The kinds of service that take another time for a step. */
const exceptions: Partial<Record<ServiceKind, Partial<Record<StepName, SecondsRange>>>> = {
  database: { DEPLOYMENT: [6, 12] }, helm: { DEPLOYMENT: [4, 10] }, terraform: { EXECUTING: [8, 15] },
};

/** How long a step takes for a kind of service. */
export const simulatedDuration = (kind: ServiceKind, step: StepName): SecondsRange => exceptions[kind]?.[step] ?? steps[step];

/** How long the platform pauses, in seconds. */
export const simulatedPauses = {
  queueing: [0.5, 1.5], canceling: [0.5, 1.5], upgradeQueueing: [1, 2], upgrading: [15, 30],
} as const satisfies Readonly<Record<Pause, SecondsRange>>;

/** The length of one pause under a time scale, in milliseconds. */
export const simulatedPause = (pause: Pause, seed: string, timeScale: number): number => Math.round(secondsBetween(simulatedPauses[pause], seed) * 1000 * timeScale);

import { createHash } from 'node:crypto';

/** Name of the pod that builds a deployment's images. */
export const buildPod = (deploymentId: string): string => `build-${createHash('sha256').update(deploymentId).digest('hex').slice(0, 8)}`;

import { failureLines, podOf } from './rollout-failures.ts';
import { between, colored, disclaimer, type PhaseContext, type PhaseResult, slug } from './phase-context.ts';
import type { FailureCause } from './failure-cause.ts';
import { clusterEvent, eventAge } from './pod-failures.ts';

type PullFailure = Extract<FailureCause, { reference: string }>;

/** The container runtime's message for an image that it can't pull. */
const pullErrors: Readonly<Record<PullFailure['kind'], (reference: string) => string>> = {
  'image-unknown': (reference) =>
    `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`,
  'pull-denied': (reference) =>
    `failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
};

const pullAttempts = 4;

/** Simulates a failed copy to the cluster's registry. The nodes may still be able to pull the image themselves. */
export const simulateMirrorFailure = ({ seconds }: PhaseContext, { kind, reference }: PullFailure): PhaseResult => ({
  seconds,
  lines: [
    disclaimer,
    `Mirroring image ${reference} to the cluster's registry`,
    `${colored.yellow('WARN')} ${reference} was not mirrored: ${pullErrors[kind](reference)}`,
    `${colored.yellow('WARN')} going on without a mirror, the nodes pull it from where it is`,
  ],
});

/**
 * Simulates pods whose image can't be pulled. The pull is retried with increasing delays until the rollout is given up.
 */
export function simulatePullFailure(context: PhaseContext, cause: PullFailure): PhaseResult {
  const { reference } = cause;
  const pod = podOf(context);
  const pulls = Array.from({ length: pullAttempts }, (_, index) => index + 1).flatMap((count) => [
    clusterEvent('Normal', 'Pulling', eventAge(count, 2, count * 14), 'kubelet', `Pulling image "${reference}"`),
    clusterEvent(
      'Warning',
      'Failed',
      eventAge(count, 1, count * 14),
      'kubelet',
      `Failed to pull image "${reference}": ${pullErrors[cause.kind](reference)}`,
    ),
    clusterEvent('Warning', 'Failed', eventAge(count, 1, count * 14), 'kubelet', 'Error: ErrImagePull'),
    clusterEvent(
      'Normal',
      'BackOff',
      eventAge(count * 2, 0, count * 15),
      'kubelet',
      `Back-off pulling image "${reference}"`,
    ),
    clusterEvent('Warning', 'Failed', eventAge(count * 2, 0, count * 15), 'kubelet', 'Error: ImagePullBackOff'),
  ]);
  return {
    seconds: between(context.random, 55, 75),
    lines: [
      `Rolling out ${slug(context.task.service.name)}:${context.version}`,
      clusterEvent(
        'Normal',
        'ScalingReplicaSet',
        '0s',
        'deployment-controller',
        `Scaled up replica set ${pod.replace(/-[^-]+$/, '')} from 0 to 1`,
      ),
      clusterEvent(
        'Normal',
        'Scheduled',
        '0s',
        'default-scheduler',
        `Successfully assigned ${pod} to node-${between(context.random, 1, 6)}`,
      ),
      clusterEvent(
        'Warning',
        'FailedToRetrieveImagePullSecret',
        '0s',
        'kubelet',
        'Unable to retrieve some image pull secrets (legacy-mirror); attempting to pull the image may not succeed.',
      ),
      ...pulls,
      'State:          Waiting\n  Reason:       ImagePullBackOff\nReady:          False\nRestart Count:  0',
      ...failureLines(`${pod} could not be started: ImagePullBackOff`),
    ],
    failure: `${pod} could not be started: ImagePullBackOff`,
  };
}

import { event, times } from './events.ts';
import { conclusion, podOf } from './failures.ts';
import { between, colored, disclaimer, type Scene, type Script, slug } from './script.ts';
import type { Trouble } from './trouble.ts';

type Unpulled = Extract<Trouble, { reference: string }>;

/** What the container runtime says of an image that it can't get. */
const answers: Readonly<Record<Unpulled['kind'], (reference: string) => string>> = {
  'image-unknown': (reference) =>
    `rpc error: code = NotFound desc = failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": ${reference}: not found`,
  'pull-denied': (reference) =>
    `failed to pull and unpack image "${reference}": failed to resolve reference "${reference}": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed`,
};

const attempts = 4;

/** A copy for the cluster's own registry that can't be made. The nodes may yet get the image themselves. */
export const unmirroredScript = ({ seconds }: Scene, { kind, reference }: Unpulled): Script => ({
  seconds,
  lines: [
    disclaimer,
    `Mirroring image ${reference} to the cluster's registry`,
    `${colored.yellow('WARN')} ${reference} was not mirrored: ${answers[kind](reference)}`,
    `${colored.yellow('WARN')} going on without a mirror, the nodes pull it from where it is`,
  ],
});

/** Pods whose image can't be pulled: tried again with longer and longer pauses until the rollout is given up. */
export function unpulledScript(scene: Scene, trouble: Unpulled): Script {
  const { reference } = trouble;
  const pod = podOf(scene);
  const pulls = Array.from({ length: attempts }, (_, index) => index + 1).flatMap((count) => [
    event('Normal', 'Pulling', times(count, 2, count * 14), 'kubelet', `Pulling image "${reference}"`),
    event('Warning', 'Failed', times(count, 1, count * 14), 'kubelet', `Failed to pull image "${reference}": ${answers[trouble.kind](reference)}`),
    event('Warning', 'Failed', times(count, 1, count * 14), 'kubelet', 'Error: ErrImagePull'),
    event('Normal', 'BackOff', times(count * 2, 0, count * 15), 'kubelet', `Back-off pulling image "${reference}"`),
    event('Warning', 'Failed', times(count * 2, 0, count * 15), 'kubelet', 'Error: ImagePullBackOff'),
  ]);
  return {
    seconds: between(scene.random, 55, 75),
    lines: [
      `Rolling out ${slug(scene.task.service.name)}:${scene.version}`,
      event('Normal', 'ScalingReplicaSet', '0s', 'deployment-controller', `Scaled up replica set ${pod.replace(/-[^-]+$/, '')} from 0 to 1`),
      event('Normal', 'Scheduled', '0s', 'default-scheduler', `Successfully assigned ${pod} to node-${between(scene.random, 1, 6)}`),
      event('Warning', 'FailedToRetrieveImagePullSecret', '0s', 'kubelet', 'Unable to retrieve some image pull secrets (legacy-mirror); attempting to pull the image may not succeed.'),
      ...pulls,
      'State:          Waiting\n  Reason:       ImagePullBackOff\nReady:          False\nRestart Count:  0',
      ...conclusion(`${pod} could not be started: ImagePullBackOff`),
    ],
    failure: `${pod} could not be started: ImagePullBackOff`,
  };
}

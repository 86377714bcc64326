import { condition, type Condition } from '../../../../contract/index.ts';
import {
  type DockerCall,
  type DockerClient,
  type DockerLabels,
  type DockerTask,
  inspectDockerNetwork,
  isDockerError,
} from '../api/index.ts';

/*
 * An engine that connects the first instance to a network creates a link on its host, and moves it into a namespace of
 * the network. If it is killed in between, the link stays on the host, and is never removed: no instance on that node
 * can join the network any more, not even after a restart of the engine.
 */

/**
 * Whether the engine could not connect an instance to its network because a link of the network was left on its host.
 */
export const isObstructed = ({ Status: { State: state, Err: said = '' } }: DockerTask): boolean =>
  (state === 'rejected' || state === 'failed') && /vxlan interface: file exists/.test(said);

/** The states of instances that the engine has not yet tried to start. */
const untried: readonly DockerTask['Status']['State'][] = [
  'new',
  'pending',
  'assigned',
  'accepted',
  'preparing',
  'ready',
];

/** Whether the newest of these instances that the engine tried to start was obstructed. */
export const isLastObstructed = (tasks: readonly DockerTask[]): boolean => {
  const newest = tasks
    .filter(({ Status }) => !untried.includes(Status.State))
    .toSorted((one, other) => other.CreatedAt.localeCompare(one.CreatedAt))[0];
  return newest !== undefined && isObstructed(newest);
};

/** The option of a network with the numbers of its links, separated by commas. */
const numbersOption = 'com.docker.network.driver.overlay.vxlanid_list';

/** A network, with the names of its links on engines' hosts. */
interface NetworkWithLinks {
  readonly labels: DockerLabels | undefined;
  readonly links: readonly string[];
}

/** The network of instances, by its id or name; undefined if it is gone. */
export async function networkWithLinks(
  docker: DockerClient,
  network: string,
  call: DockerCall,
): Promise<NetworkWithLinks | undefined> {
  try {
    const { Id: id, Labels: labels, Options: options } = await inspectDockerNetwork(docker, network, call);
    const numbers = (options?.[numbersOption] ?? '')
      .split(',')
      .map(Number)
      .filter((number) => number > 0);
    return { labels, links: numbers.map((number) => `vx-${number.toString(16).padStart(6, '0')}-${id.slice(0, 5)}`) };
  } catch (error) {
    if (isDockerError(error, 'not found')) return undefined;
    throw error;
  }
}

/** The network that an instance joins; undefined if there is none. */
export const networkOfTask = ({ Spec: { Networks: [network] = [] } }: DockerTask): string | undefined =>
  network?.Target;

/** Why an obstructed instance could not be started, with what an operator can do where the platform can't. */
export async function obstruction(
  { docker }: { readonly docker: DockerClient },
  task: DockerTask,
  signal: AbortSignal,
): Promise<Condition> {
  const network = networkOfTask(task);
  const { links = [] } = (network !== undefined && (await networkWithLinks(docker, network, { signal }))) || {};
  return condition('NOT_JOINED_TO_NETWORK', { links: [...links] });
}

import type { DockerCall, DockerClient } from './client.ts';
import type { DockerFilters } from './paths.ts';
import type { DockerObject, DockerTaskSpec } from './service-spec.ts';

/** The states of a task, in the order in which it passes through them. The last ones are final. */
export const dockerTaskStates = [
  'new',
  'pending',
  'assigned',
  'accepted',
  'preparing',
  'ready',
  'starting',
  'running',
  'complete',
  'shutdown',
  'failed',
  'rejected',
  'remove',
  'orphaned',
] as const;

/** A container that swarm schedules on a node, or did. */
export interface DockerTask extends DockerObject {
  readonly ServiceID: string;
  /** The number of the instance; absent for services with a task on every node. */
  readonly Slot?: number;
  /** Absent until the task is assigned to a node. */
  readonly NodeID?: string;
  readonly DesiredState: (typeof dockerTaskStates)[number];
  readonly Spec: DockerTaskSpec;
  readonly Status: {
    readonly State: (typeof dockerTaskStates)[number];
    /** ISO 8601: when it entered the state. */
    readonly Timestamp: string;
    readonly Message?: string;
    /** Why it failed, was rejected or can't be placed. */
    readonly Err?: string;
    readonly ContainerStatus?: { readonly ContainerID?: string; readonly PID?: number; readonly ExitCode?: number };
  };
  /** The networks that it joined, with its addresses on them and the length of their prefixes, such as 10.0.1.3/24. */
  readonly NetworksAttachments?:
    | readonly {
        readonly Network: { readonly Spec: { readonly Name: string } };
        readonly Addresses?: readonly string[];
      }[]
    | null;
  /** The run of a job that it belongs to. */
  readonly JobIteration?: { readonly Index: number };
}

/**
 * The tasks that match, including ones that have ended. Filters are `id`, `service`, `node`, `desired-state`, `label`,
 * `name`.
 */
export const listDockerTasks = async (
  docker: DockerClient,
  filters: DockerFilters = {},
  call: DockerCall = {},
): Promise<readonly DockerTask[]> => docker.request({ method: 'GET', path: '/tasks', query: { filters }, ...call });

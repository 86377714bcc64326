import type { nodeAvailabilities, nodeRoles, nodeStates } from '../../contract/index.ts';

/** A machine of a cluster. */
export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  readonly role: (typeof nodeRoles)[number];
  /** Whether it takes instances; paused it keeps those that it has, drained it has none. */
  readonly availability: (typeof nodeAvailabilities)[number];
  readonly state: (typeof nodeStates)[number];
  /** Since when it is in this state at the latest, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** Its IP address, if it is known. */
  readonly address?: string;
  /** What its operator labelled it with. */
  readonly labels: Readonly<Record<string, string>>;
  /** What it has: thousandths of a CPU, and MB of memory. */
  readonly cpu: number;
  readonly memory: number;
  /** What its instances may use of that altogether. Those of strangers may have no limit, and count nothing. */
  readonly cpuAllotted: number;
  readonly memoryAllotted: number;
  /** How many instances run on it, those of strangers included. */
  readonly instances: number;
  /** The services of this platform that can't run anywhere else, because their storage or image is there. */
  readonly boundServiceIds: readonly string[];
}

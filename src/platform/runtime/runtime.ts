import { createHash } from 'node:crypto';
import type { DeployedCommit } from '../common/index.ts';
import type { DatabaseBackups } from './database-backups.ts';
import type { RuntimeLogLine } from './log-line.ts';
import type { Meter } from './measured.ts';
import type { KnownResources, RunningService, RunningVersion, Sweep } from './running-service.ts';
import type { ServiceToRun, Task, TaskInputs } from './task.ts';
import type { Condition, nodeStates } from '../../contract/index.ts';

/** A machine of a cluster. */
export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** Whether it takes part in deciding what runs where. */
  readonly isManager: boolean;
  /** Which instances it takes: any, only those that it has already, or none. */
  readonly takes: 'any' | 'its own' | 'none';
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

/** What a plan shows of the changes that applying it makes. */
export interface PlannedChanges {
  /** SHA-256 of the plan file. */
  readonly digest: string;
  /** The plan in words, without secrets as far as they are known. */
  readonly text: string;
  /** Whether the text is only a part of the plan. */
  readonly isShortened: boolean;
  /** How many resources are added, changed and destroyed; absent if the plan doesn't tell. */
  readonly counts?: { readonly add: number; readonly change: number; readonly destroy: number };
}

interface Ongoing {
  readonly outcome: 'ongoing';
  /**
   * When to observe again, in milliseconds since the epoch. The engine leaves at least `minimumObservationMilliseconds`
   * between two observations.
   */
  readonly nextPollAt: number;
}

interface Succeeded {
  readonly outcome: 'succeeded';
}

interface Failed {
  readonly outcome: 'failed';
  readonly why: Condition;
}

/** The progress of a task. */
export type Observation = (Ongoing | Succeeded | Failed) & {
  /** The lines since the passed cursor. */
  readonly lines: readonly RuntimeLogLine[];
  /** The cursor to pass to the next observation of the task. */
  readonly cursor: string;
  /** The commit that was found, for services built from git. */
  readonly commit?: DeployedCommit;
  /**
   * What later phases, and later deployments if this one succeeds, have to know of it. It must hold no secret. Default:
   * what was recorded before.
   */
  readonly record?: string;
  /**
   * What of a deleted service could not be removed, where it is and how to remove it, as sentences. Its log goes with
   * it, so these are recorded elsewhere.
   */
  readonly left?: readonly string[];
};

/** One upgrade of a cluster. */
export interface ClusterUpgrade {
  readonly id: string;
  readonly cluster: { readonly id: string; readonly name: string };
}

/** The condition of an alert rule, and what the platform knows of the services that it watches. */
export interface AlertCondition {
  readonly promql: string;
  /** Compares a measured value with the rule's threshold. */
  readonly isMetBy: (value: number) => boolean;
  /** Whether a service that the rule watches is in a failed state. */
  readonly watchedServiceFails: boolean;
}

/** What a runtime can ask for while it works on a task. */
export interface RuntimeCall {
  /** Reads what the task needs. */
  readonly inputs: () => Promise<TaskInputs>;
  /**
   * Makes sure that the task is still this worker's: call it right before what can't be fenced by the token.
   * @throws Error otherwise
   */
  readonly confirm: () => Promise<void>;
  /** Aborts when the worker stops. */
  readonly signal: AbortSignal;
}

/** An address that a cluster gives to a public port of a service. */
export interface ServiceAddress {
  readonly url: string;
  readonly internalPort: number;
  /** The port that is asked for from outside. Default: that of https. */
  readonly externalPort?: number;
  readonly isDefault: boolean;
}

/** What the platform waits for before the runtime has anything to do. */
export type Pause = 'queueing' | 'canceling' | 'upgradeQueueing' | 'upgrading';

/**
 * Runs services. The engine decides what to do and records the results; a runtime carries it out. Its methods run
 * outside of transactions, except those that return no promise. After a crash, any of them can be called again with the
 * same task; it must then continue rather than start over.
 */
export interface Runtime {
  /** Why it can't run such a service, in words for whoever asked for it; undefined if it can. */
  refusalOf(service: Pick<ServiceToRun, 'kind' | 'spec'>): string | undefined;
  /** Begins a task. Returns once that is under way, not when it is done. */
  begin(task: Task, call: RuntimeCall): Promise<void>;
  /**
   * Reports the progress of a task that has begun. `cursor` comes from the last observation; null for the first one.
   */
  observe(task: Task, cursor: string | null, call: RuntimeCall): Promise<Observation>;
  /**
   * Undoes what a canceled or overdue task began, and leaves the running version alone. Safe if the task never began.
   */
  abandon(task: Task, signal: AbortSignal): Promise<void>;
  /** How often to look at what runs, in milliseconds; absent where nothing changes by itself. */
  readonly observationInterval?: number;
  /**
   * Looks at what runs of deployed versions. One that it doesn't keep running, such as a job, is left out.
   * @throws Error with the reason, for people, if it can't look: that doesn't mean that nothing runs
   */
  observeRunning(versions: readonly RunningVersion[], signal: AbortSignal): Promise<readonly RunningService[]>;
  /**
   * Removes what it made for services and environments that no record knows, and images of earlier versions above their
   * size. It never removes stored data. The engine calls it when it starts, and then again and again.
   * @param known reads what is known, after the runtime has found out what is there
   */
  sweep(known: () => Promise<KnownResources>, signal: AbortSignal): Promise<Sweep>;
  /**
   * The newest lines, at most `limit`, that a running version has logged; oldest first. Lines of other versions that it
   * still has say no version.
   */
  logs(version: RunningVersion, limit: number, signal: AbortSignal): Promise<readonly RuntimeLogLine[]>;
  /**
   * The newest commits of a service's branch, at most `limit`; newest first. None for services that aren't built from
   * git.
   */
  commits(service: ServiceToRun, limit: number, signal: AbortSignal): Promise<readonly DeployedCommit[]>;
  /**
   * The addresses at which the running version of a service is reached from outside.
   * @param record what its deployment recorded; undefined if none has succeeded
   */
  addressesOf(service: ServiceToRun, record: string | undefined): readonly ServiceAddress[];
  /**
   * What the plan of a Terraform service shows, from the record of the task that made it; undefined if that has none.
   * Absent where nothing is planned.
   */
  readonly planOf?: (record: string) => PlannedChanges | undefined;
  /**
   * Whether a deployment of a Terraform service applies a plan that was made before, and nothing else. It then has the
   * record of that plan from the beginning.
   */
  readonly appliesPlans?: true;
  /** The domain below which it gives services their addresses, in lower case. Absent where it gives none. */
  readonly domain?: string;
  /**
   * The name that the name servers have to give for the domains of a service, so that these lead to its cluster. Absent
   * where domains are only simulated.
   */
  readonly domainTarget?: (service: Pick<ServiceToRun, 'id'>) => string;
  /**
   * See to it that what the services of a cluster share is as it should be, such as what forwards requests to them. The
   * engine calls each again and again, beside all tasks. Absent where nothing is shared.
   * @returns what whoever runs the platform should know of it, as sentences for the log of the platform
   * @throws Error with what is wrong
   */
  readonly reconcile?: readonly ((signal: AbortSignal) => Promise<readonly string[]>)[];
  /** Closes the connections that it has opened by itself. */
  readonly close?: () => Promise<void>;
  /**
   * The machines of its cluster, by name. Absent where there are none.
   * @throws Error with the reason, for people, if they can't be read
   */
  readonly nodes?: (signal: AbortSignal) => Promise<readonly ClusterNode[]>;
  /** Measures what runs. Absent where nothing really does. */
  readonly meter?: Meter;
  /** Backups of its databases. Absent where there are none. */
  readonly backups?: DatabaseBackups;
  /** Why its clusters can't be upgraded through the platform; undefined if they can. */
  readonly upgradeRefusal?: string;
  /**
   * Whether an upgrade that has taken its time fails. Asked within a transaction: it may wait for nothing but the
   * records.
   */
  upgradeFails(upgrade: ClusterUpgrade): boolean | Promise<boolean>;
  /** Whether the condition of an alert rule holds. Absent where conditions are evaluated by what is measured. */
  readonly simulatedCondition?: (condition: AlertCondition) => boolean;
  /** How long a pause takes, in milliseconds. The same seed always gives the same time. */
  pauseBefore(pause: Pause, seed: string): number;
}

/** The name of the pod that builds a deployment's images. */
export const buildPod = (deploymentId: string): string =>
  `build-${createHash('sha256').update(deploymentId).digest('hex').slice(0, 8)}`;

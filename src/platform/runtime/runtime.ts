import { createHash } from 'node:crypto';
import type { DeployedCommit } from '../common/index.ts';
import type { DatabaseBackups } from './database-backups.ts';
import type { RuntimeLogLine } from './log-line.ts';
import type { Meter } from './measured.ts';
import type { KnownResources, RunningService, RunningVersion, Sweep } from './running-service.ts';
import type { GitTokenInput, ServiceToRun, Task, TaskInputs } from './task.ts';
import type { Condition, nodeStates } from '../../contract/index.ts';

/** A machine of a cluster. */
export interface ClusterNode {
  readonly id: string;
  readonly name: string;
  /** Whether it takes part in scheduling. */
  readonly isManager: boolean;
  /** Which instances it accepts: any, only those that it already has, or none. */
  readonly takes: 'any' | 'its own' | 'none';
  readonly state: (typeof nodeStates)[number];
  /** It has been in this state at least since this time, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** Its IP address, if it is known. */
  readonly address?: string;
  /** The labels that its operator has set. */
  readonly labels: Readonly<Record<string, string>>;
  /** Its capacity: thousandths of a CPU, and MB of memory. */
  readonly cpu: number;
  readonly memory: number;
  /**
   * The total limits of its instances. Instances that the platform didn't create may have no limit, and then count as
   * 0.
   */
  readonly cpuAllotted: number;
  readonly memoryAllotted: number;
  /** How many instances run on it, including those that the platform didn't create. */
  readonly instances: number;
  /** The services of this platform that can't run anywhere else, because their storage or image is there. */
  readonly boundServiceIds: readonly string[];
}

/** The part of the changes that a plan shows. */
export interface PlannedChanges {
  /** SHA-256 of the plan file. */
  readonly digest: string;
  /** The plan as text, without known secrets. */
  readonly text: string;
  /** Whether the text is only a part of the plan. */
  readonly isShortened: boolean;
  /** How many resources are added, changed and destroyed; absent if the plan doesn't say. */
  readonly counts?: { readonly add: number; readonly change: number; readonly destroy: number };
}

interface Ongoing {
  readonly outcome: 'ongoing';
  /**
   * When to observe again, in milliseconds since the epoch. The engine waits at least `minimumObservationMilliseconds`
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
   * Information for later phases, and for later deployments if this one succeeds. It must contain no secret. Default:
   * the previous record.
   */
  readonly record?: string;
  /**
   * The parts of a deleted service that could not be removed, with their location and how to remove them, as sentences.
   * The service's log is deleted with it, so these are recorded elsewhere.
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

/** Functions and a signal for a runtime that works on a task. */
export interface RuntimeCall {
  /** Reads the inputs of the task. */
  readonly inputs: () => Promise<TaskInputs>;
  /**
   * Ensures that this worker still holds the task: call it right before an operation that the token can't fence.
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
  /** The port for requests from outside. Default: that of https. */
  readonly externalPort?: number;
  readonly isDefault: boolean;
}

/** The times that the platform waits before the runtime has anything to do. */
export type Pause = 'queueing' | 'canceling' | 'upgradeQueueing' | 'upgrading';

/**
 * Runs services. The engine decides what to do and records the results; a runtime carries it out. Its methods run
 * outside transactions, except those that return no promise. After a crash, any of them can be called again with the
 * same task; it must then continue rather than start over.
 */
export interface Runtime {
  /** Why it can't run such a service, as text for the user; undefined if it can. */
  refusalOf(service: Pick<ServiceToRun, 'kind' | 'spec'>): string | undefined;
  /** Starts a task. Returns once the task is under way, not when it is done. */
  begin(task: Task, call: RuntimeCall): Promise<void>;
  /**
   * Reports the progress of a task that has started. `cursor` comes from the last observation; null for the first one.
   */
  observe(task: Task, cursor: string | null, call: RuntimeCall): Promise<Observation>;
  /**
   * Undoes what a canceled or overdue task started, and leaves the running version alone. Safe if the task never
   * started.
   */
  abandon(task: Task, signal: AbortSignal): Promise<void>;
  /** How often to observe running services, in milliseconds; absent if nothing changes by itself. */
  readonly observationInterval?: number;
  /**
   * Observes the instances of deployed versions. A version that it doesn't keep running, such as a job, is left out.
   * @throws Error with a readable reason if it can't observe them: that doesn't mean that nothing runs
   */
  observeRunning(versions: readonly RunningVersion[], signal: AbortSignal): Promise<readonly RunningService[]>;
  /**
   * Removes what it created for services and environments that no record refers to, and images of earlier versions
   * above their size limit. It never removes stored data. The engine calls it at its start and then repeatedly.
   * @param known reads the known resources, after the runtime has listed the existing ones
   */
  sweep(known: () => Promise<KnownResources>, signal: AbortSignal): Promise<Sweep>;
  /** Whether everything that instances logged is lost once others replace them, or they are stopped. Default: no. */
  readonly losesReplacedLogs?: boolean;
  /**
   * The newest lines, at most `limit`, that a running version has logged; oldest first. Lines of other versions that it
   * still has carry no version. A line that is the same object as before is the same line of the same version.
   */
  logs(version: RunningVersion, limit: number, signal: AbortSignal): Promise<readonly RuntimeLogLine[]>;
  /**
   * The newest commits of a service's branch, at most `limit`; newest first. None for services that aren't built from
   * git.
   * @param gitToken the one that its configuration names
   */
  commits(
    service: ServiceToRun,
    limit: number,
    signal: AbortSignal,
    gitToken?: GitTokenInput,
  ): Promise<readonly DeployedCommit[]>;
  /**
   * The addresses at which the running version of a service is reached from outside.
   * @param record the record of its deployment; undefined if none has succeeded
   */
  addressesOf(service: ServiceToRun, record: string | undefined): readonly ServiceAddress[];
  /**
   * The contents of a Terraform service's plan, from the record of the task that created it; undefined if the record
   * has none. Absent if nothing is planned.
   */
  readonly planOf?: (record: string) => PlannedChanges | undefined;
  /**
   * Whether a deployment of a Terraform service applies a plan that was created before, and nothing else. Its task then
   * has the record of that plan from the start.
   */
  readonly appliesPlans?: true;
  /** The domain under which it gives services their addresses, in lower case. Absent if it gives none. */
  readonly domain?: string;
  /**
   * The target of DNS records for the domains of a service, so that they point to its cluster. Absent if domains are
   * only simulated.
   */
  readonly domainTarget?: (service: Pick<ServiceToRun, 'id'>) => string;
  /**
   * Reconciles what the services of a cluster share, such as the proxy for their requests. The engine calls each
   * function repeatedly, in parallel with all tasks. Absent if nothing is shared.
   * @returns what the operator should know about it, as sentences for the log of the platform
   * @throws Error with the problem
   */
  readonly reconcile?: readonly ((signal: AbortSignal) => Promise<readonly string[]>)[];
  /** Closes the connections that it has opened itself. */
  readonly close?: () => Promise<void>;
  /**
   * The machines of its cluster, by name. Absent if there are none.
   * @throws Error with a readable reason if they can't be read
   */
  readonly nodes?: (signal: AbortSignal) => Promise<readonly ClusterNode[]>;
  /** Measures running services. Absent if nothing really runs. */
  readonly meter?: Meter;
  /** Backups of its databases. Absent if it has none. */
  readonly backups?: DatabaseBackups;
  /** Why its clusters can't be upgraded through the platform; undefined if they can. */
  readonly upgradeRefusal?: string;
  /** Whether an upgrade fails at its end. Called within a transaction: it may wait for nothing but the records. */
  upgradeFails(upgrade: ClusterUpgrade): boolean | Promise<boolean>;
  /** Whether the condition of an alert rule holds. Absent if conditions are evaluated on measurements. */
  readonly simulatedCondition?: (condition: AlertCondition) => boolean;
  /** How long a pause takes, in milliseconds. The same seed always gives the same time. */
  pauseBefore(pause: Pause, seed: string): number;
}

/** The name of the pod that builds a deployment's images. */
export const buildPod = (deploymentId: string): string =>
  `build-${createHash('sha256').update(deploymentId).digest('hex').slice(0, 8)}`;

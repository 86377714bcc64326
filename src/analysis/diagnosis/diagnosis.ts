import type { ServiceChange } from '../changes.ts';
import type { Level } from '../logs/log-line.ts';

/** The causes that have a rule. */
export const causeCodes = [
  'image_tag_not_found',
  'image_pull_denied',
  'registry_rate_limit',
  'readiness_probe_failing',
  'liveness_probe_failing',
  'wrong_port',
  'missing_variable',
  'out_of_memory',
  'jvm_heap',
  'docker_build_failed',
  'dependency_install_failed',
  'compile_failed',
  'tests_failed',
  'git_clone_denied',
  'git_branch_not_found',
  'git_unreachable',
  'terraform_state_locked',
  'terraform_auth',
  'terraform_failed',
  'helm_timeout',
  'helm_operation_in_progress',
  'helm_chart_invalid',
  'dependency_unreachable',
  'database_auth_failed',
  'migration_failed',
  'time_limit',
  'app_crashed',
  'disk_full',
  'cluster_locked',
  'quota_exceeded',
  'insufficient_resources',
  'no_fitting_node',
  'canceled',
  'tls_failed',
  'dns_failed',
  'changed_outside',
  'cluster_unreachable',
  'node_lost',
  'database_node_lost',
  'storage_node_gone',
  'node_unreachable',
  'instance_not_begun',
] as const;
export type CauseCode = (typeof causeCodes)[number];

export type Confidence = 'high' | 'medium' | 'low';

/** Why a deployment failed. `unknown`: no rule matches the evidence. `none`: nothing failed. */
export interface Cause {
  readonly code: CauseCode | 'unknown' | 'none';
  readonly sentence: string;
  /** Absent if the code is `unknown` or `none`. */
  readonly confidence?: Confidence;
  /** The basis of the confidence. */
  readonly why: string;
  /** Indexes of the evidence's lines that it is based on. */
  readonly quotes: readonly number[];
}

/** A line worth reading; `count` is the number of similar lines. */
export interface RelevantLine {
  readonly index: number;
  readonly time?: string;
  readonly level: Level;
  readonly text: string;
  readonly count: number;
}

/** An event in the order of events; `seconds` is its duration. */
export interface TimelineEntry {
  readonly at?: string;
  readonly what: string;
  readonly seconds?: number;
  /** The step of the deployment that it is, with its outcome as the platform calls it. */
  readonly step?: { readonly name: string; readonly status?: string };
}

/** A proposed call, with all its arguments. */
export interface ProposedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly why: string;
  /**
   * An argument that is still missing because only the user knows it, and its form. Such a call is described, not
   * proposed.
   */
  readonly needs?: string;
  /** The tool that must be called before it. */
  readonly after?: string;
}

export interface Diagnosis {
  /** Outcome of the diagnosed deployment. */
  readonly outcome: 'failed' | 'canceled' | 'in_progress' | 'succeeded' | 'never_deployed';
  /** The diagnosed deployment; if it is in the history, also who triggered it and how. */
  readonly deployment?: {
    readonly id?: string;
    readonly state?: string;
    readonly action?: string;
    readonly at?: string;
    readonly triggered_by?: string;
    readonly commit?: string;
    readonly image?: string;
  };
  /** A later deployment that succeeded: the diagnosed failure is over, and there is nothing to fix. */
  readonly since?: { readonly id?: string; readonly state?: string; readonly at?: string };
  /** Set if it was stopped after that deployment: by whom, and when. */
  readonly stopped?: { readonly by?: string; readonly at?: string };
  /** The version that serves now, as text: version, instances, since when. */
  readonly serves?: string;
  /** What became of the schedule of a job whose deployment failed, according to its log. */
  readonly schedule?: string;
  readonly last_good?: { readonly id?: string; readonly at?: string };
  readonly failing_step?: { readonly name: string; readonly seconds?: number };
  readonly cause: Cause;
  /** Other causes that the evidence shows signs of, most likely first, at most two. */
  readonly also: readonly Cause[];
  readonly timeline: readonly TimelineEntry[];
  readonly lines: readonly RelevantLine[];
  /** The changes since the last good deployment; empty if none is known. */
  readonly changes: readonly ServiceChange[];
  /** At most three, most useful first. */
  readonly next: readonly ProposedCall[];
}

import type { Reason, ServiceKind, StepName } from '../../../contract/index.ts';
import type { ConditionSign } from '../condition-sign.ts';
import type { CauseCode } from '../diagnosis.ts';
import type { Entry } from '../../logs/entries.ts';
import type { Remedy } from '../next-calls.ts';
import type { DeploymentSituation, Facts } from '../situation.ts';

/** A line of another program that indicates a cause. An indirect sign may also have other causes. */
export interface Sign {
  readonly pattern: RegExp;
  readonly indirect?: true;
}

/**
 * Change of a match's strength by other evidence, negative if the evidence contradicts the cause; `dismiss` rules the
 * cause out.
 */
export type Weight = { readonly change: number; readonly why: string; readonly facts?: Facts } | 'dismiss';

/** A rule that detects a cause in the evidence. Patterns are matched in linear time against single cleaned lines. */
export interface CauseRule {
  readonly code: CauseCode;
  /** A cause explains a mechanism (a probe that fails), which explains a symptom (a crash, a failed build). */
  readonly layer: 'cause' | 'mechanism' | 'symptom';
  /** Kinds of services that it may occur in. Default: all. */
  readonly kinds?: readonly ServiceKind[];
  /** Steps that it usually fails in; in others it is less likely. */
  readonly steps?: readonly StepName[];
  readonly signs: readonly Sign[];
  /** Conditions that the platform attaches to a line of the log, or that caused those. */
  readonly conditions?: readonly ConditionSign[];
  /** Lines that match a sign but are about something else. */
  readonly unless?: RegExp;
  /** Lines of other programs that show a recovery: signs before them are ignored. */
  readonly recovered?: readonly RegExp[];
  /** Conditions that show a recovery. */
  readonly recoveredBy?: readonly Reason[];
  /** Causes that share signs with this one and are dropped if both match. */
  readonly supersedes?: readonly CauseCode[];
  /**
   * A setting may be wrong: the sentence lists variables and configuration that changed since the last good deployment.
   */
  readonly suspectsSettings?: true;
  /**
   * A sibling that failed since the last good deployment may be the reason: the sentence lists the suspects, and the
   * first is diagnosed first.
   */
  readonly suspectsSiblings?: true;
  /** Weighs the matched facts against the other evidence. Called if a sign matched. */
  readonly weigh?: (facts: Facts, situation: DeploymentSituation) => Weight | undefined;
  /** Detects the cause without a log line; undefined if it doesn't apply. */
  readonly observe?: (
    situation: DeploymentSituation,
  ) => { readonly why: string; readonly facts?: Facts; readonly indirect?: true } | undefined;
  /** Lines that are quoted in addition to the signs. */
  readonly alsoQuotes?: (situation: DeploymentSituation) => readonly Entry[];
  readonly sentence: (facts: Facts, situation: DeploymentSituation) => string;
  /** Proposed calls: fixes first, then inspections. */
  readonly remedies: readonly Remedy[];
}

/** Steps that start a service's own code. */
export const runSteps: readonly StepName[] = [
  'DEPLOYMENT',
  'ROUTER_DEPLOYMENT',
  'EXECUTING',
  'RESTART',
  'DEPLOYMENT_QUEUEING',
];

/** Steps that build an image from the source. */
export const buildSteps: readonly StepName[] = ['BUILD', 'REGISTRY_CREATE_REPOSITORY'];

/** Steps that fetch the source. Platforms without a clone step fetch it during the build. */
export const cloneSteps: readonly StepName[] = ['GIT_CLONE', 'BUILD'];

import type { ServiceKind } from '../../../contract/resources/service.ts';
import type { StepName } from '../../../contract/resources/deployment.ts';
import type { CauseCode } from '../diagnosis.ts';
import type { Remedy } from '../next-calls.ts';
import type { DeploymentSituation, Facts } from '../situation.ts';

/** How a tool reports the fault. An indirect sign has other causes as well. */
export interface Sign {
  readonly pattern: RegExp;
  readonly indirect?: true;
}

/** What speaks for a cause (or, below zero, against it) beside its signs, or that it can't be the cause at all. */
export type Weight = { readonly change: number; readonly why: string; readonly facts?: Facts } | 'dismiss';

/** A cause that can be told from what the platform answers. Patterns are matched in linear time, one clean line each. */
export interface CauseRule {
  readonly code: CauseCode;
  /** A cause explains a mechanism (a probe that fails), which explains a symptom (a crash, a failed build). */
  readonly layer: 'cause' | 'mechanism' | 'symptom';
  /** Where it may occur; anywhere if left out. */
  readonly kinds?: readonly ServiceKind[];
  readonly steps?: readonly StepName[];
  readonly signs: readonly Sign[];
  /** Lines that bear a sign but speak of something else. */
  readonly unless?: RegExp;
  /** Lines after which the signs before them mean nothing. */
  readonly recovered?: readonly RegExp[];
  /** Causes whose signs are this one's as well: where both are seen, it is this one. */
  readonly supersedes?: readonly CauseCode[];
  /** A setting may be what is wrong: variables and configuration that changed since the last good deployment are named. */
  readonly suspectsSettings?: true;
  /** What failed around it may be why: siblings that failed since the last good deployment are named, and looked at first. */
  readonly suspectsSiblings?: true;
  /** Weighs what was seen against the rest of the evidence. Called when a sign was seen. */
  readonly weigh?: (facts: Facts, situation: DeploymentSituation) => Weight | undefined;
  /** Tells the cause from the evidence without a log line; undefined when it doesn't hold. */
  readonly observe?: (situation: DeploymentSituation) => { readonly why: string; readonly facts?: Facts; readonly indirect?: true } | undefined;
  readonly sentence: (facts: Facts, situation: DeploymentSituation) => string;
  /** What mends it comes first, then what shows more. */
  readonly remedies: readonly Remedy[];
}

/** Steps in which a service's own code is brought up. */
export const runSteps: readonly StepName[] = ['DEPLOYMENT', 'ROUTER_DEPLOYMENT', 'EXECUTING', 'RESTART', 'DEPLOYMENT_QUEUEING'];

/** Steps that make an image of the source. */
export const buildSteps: readonly StepName[] = ['BUILD', 'REGISTRY_CREATE_REPOSITORY'];

/** Steps that get the source. Platforms without such a step clone as they build. */
export const cloneSteps: readonly StepName[] = ['GIT_CLONE', 'BUILD'];

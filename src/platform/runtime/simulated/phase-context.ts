import { createHash } from 'node:crypto';
import type { Condition } from '../../../contract/index.ts';
import type { DeployedCommit, Random } from '../../common/index.ts';
import type { PlannedChanges, Task } from '../index.ts';

/** The log and the outcome of one phase of a simulated deployment. */
export interface PhaseResult {
  /** How long it really takes, in seconds. */
  readonly seconds: number;
  /** The log lines in order, spread over its duration. */
  readonly lines: readonly string[];
  /** How many resources a run of Terraform adds, changes and destroys. */
  readonly counts?: PlannedChanges['counts'];
  /** Why it fails; absent if it succeeds. */
  readonly failure?: string;
  /** The same as data, unless it imitates the output of another program. The last line reports it. */
  readonly condition?: Condition;
}

/** The input of a simulated phase. The same task gives the same context, so the log can be continued after a crash. */
export interface PhaseContext {
  readonly task: Task;
  readonly random: Random;
  /** The pod that logs the lines. */
  readonly pod: string;
  /** The version to roll out: a short commit, an image tag, a chart version. */
  readonly version: string;
  readonly commit?: DeployedCommit;
  /** How long the phase usually takes, in seconds. */
  readonly seconds: number;
}

/** The first hexadecimal digits of a text's hash. */
export const digest = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, length);

/** Converts a name to the form of pod and image names: lower case letters, digits and dashes. */
export const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'service';

/** Picks one of the choices at random. */
export const choose = <Choice>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice =>
  choices[Math.floor(random.number() * choices.length)] ?? choices[0];

/** A random integer between `least` and `most`, inclusive. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random.number() * (most - least + 1));

/** A random duration in seconds, formatted like 3.4s. */
export const took = (random: Random, least: number, most: number): string =>
  `${(least + random.number() * (most - least)).toFixed(1)}s`;

const escape = '\u001B[';
/** Wraps text in ANSI colour codes. */
export const colored = {
  red: (text: string) => `${escape}31m${text}${escape}0m`,
  green: (text: string) => `${escape}32m${text}${escape}0m`,
  yellow: (text: string) => `${escape}33m${text}${escape}0m`,
  cyan: (text: string) => `${escape}36m${text}${escape}0m`,
  bold: (text: string) => `${escape}1m${text}${escape}0m`,
};

/** The first line of every simulated deployment. */
export const disclaimer =
  'This deployment is simulated: no container, cluster or cloud resource is created or changed.';

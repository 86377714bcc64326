import { createHash } from 'node:crypto';
import type { Random } from '../../random.ts';
import type { DeployedCommit } from '../../service-spec.ts';
import type { Task } from '../runtime.ts';

/** What one phase of a simulated deployment says and how it ends. */
export interface PhaseResult {
  /** How long it takes in life, in seconds. */
  readonly seconds: number;
  /** What is said, in order; spread over the time it takes. */
  readonly lines: readonly string[];
  /** Why it fails; absent when it succeeds. */
  readonly failure?: string;
}

/** Everything a script is written from. The same task gives the same scene, so a script can be read on after a crash. */
export interface PhaseContext {
  readonly task: Task;
  readonly random: Random;
  /** Where it is said. */
  readonly pod: string;
  /** What is rolled out: a short commit, an image tag, a chart version. */
  readonly version: string;
  readonly commit?: DeployedCommit;
  /** How long the phase takes by itself, in seconds. */
  readonly seconds: number;
}

/** Hexadecimal digits that are the same for the same text. */
export const digest = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length);

/** A name as pods and images have it: lower case, digits and dashes. */
export const slug = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'service';

/** One of the choices. */
export const pick = <Choice>(random: Random, choices: readonly [Choice, ...Choice[]]): Choice =>
  choices[Math.floor(random.number() * choices.length)] ?? choices[0];

/** A whole number between both, inclusive. */
export const between = (random: Random, least: number, most: number): number => least + Math.floor(random.number() * (most - least + 1));

/** Seconds as tools print them: 3.4s. */
export const took = (random: Random, least: number, most: number): string => `${(least + random.number() * (most - least)).toFixed(1)}s`;

const escape = '\u001B[';
/** Text in a colour, as tools print it on terminals. */
export const colored = {
  red: (text: string) => `${escape}31m${text}${escape}0m`,
  green: (text: string) => `${escape}32m${text}${escape}0m`,
  yellow: (text: string) => `${escape}33m${text}${escape}0m`,
  cyan: (text: string) => `${escape}36m${text}${escape}0m`,
  bold: (text: string) => `${escape}1m${text}${escape}0m`,
};

/** Said at the beginning of every simulated deployment. */
export const disclaimer = 'This deployment is simulated: no container, cluster or cloud resource is created or changed.';

import { shortened } from '../contract/index.ts';
import type { LenientServiceStatus } from './deployment-progress.ts';

/** What warnings are read from. */
type Status = Pick<LenientServiceStatus, 'state' | 'running'>;

/** How the platform says how many instances are missing, which is no reason. */
const noneRuns = /^No instance of it (?:runs|is known to run)\.$/;
const someRun = /^Only \d+ of \d+ instances (?:run|are known to run)\.$/;

/**
 * How it says that a database can't run where its data is, and which backup it could be brought back from. The name of the
 * backup is somebody's text.
 */
const dataThere = /^Its data is on its node only(?:\. If that node does not come back: its newest complete backup is (?<backup>.+), and restore_database brings it back|, and it has no backup)/;

/** What the platform says of what runs of a service and is not as it should be, in its order; empty if it says nothing. */
export function warningsIn(status: Status | null | undefined): readonly string[] {
  const warnings: unknown = status?.running?.warnings;
  return Array.isArray(warnings) ? warnings.filter((each): each is string => typeof each === 'string' && each !== '') : [];
}

/** The most telling of the warnings: a reason, rather than that no instance runs; undefined if there is none. */
function tellingWarning(warnings: readonly string[]): string | undefined {
  const count = warnings.find((each) => someRun.test(each));
  const reason = warnings.find((each) => !noneRuns.test(each) && each !== count);
  return count === undefined ? (reason ?? warnings[0]) : [count, reason].filter((each) => each !== undefined).join(' ');
}

/** Most services of a list whose warnings are told in it, and most characters of each. */
const mostTold = 10;
const longestTold = 200;

const clipped = (text: string): string => shortened(text, longestTold);

/**
 * The most telling warning of each service of a list that has one, in few words: those are told that are unavailable, then others.
 * Of the rest it is only told that there is something.
 */
export function warningsOfServices<Service extends { readonly status?: Status | null }>(services: readonly Service[]): ReadonlyMap<Service, string> {
  const warned = services.flatMap((service) => {
    const warning = tellingWarning(warningsIn(service.status));
    return warning === undefined ? [] : [{ service, warning }];
  });
  const isDown = ({ service }: (typeof warned)[number]): boolean => service.status?.state === 'UNAVAILABLE';
  const urgentFirst = warned.toSorted((one, other) => Number(isDown(other)) - Number(isDown(one)));
  return new Map(urgentFirst.map(({ service, warning }, index) => [service, index < mostTold ? clipped(warning) : 'see the warnings of its own status']));
}

/** How it says that instances wait for a node that is lost. Others, such as those for which there is no room, are not helped by a backup. */
const nodeLost = /^(?:An instance waits for the node \S+, which has been down|It can only run on the node \S+, which is not part of the cluster any more)/;

/** What is known of the data of a database whose node is lost. */
export interface StrandedData {
  /** The newest complete backup, in words; undefined if there is none. */
  readonly backup?: string;
}

/** What is known of the data of a database whose node is lost; undefined if the platform says nothing like it. */
export function strandedDataIn(status: Status | null | undefined): StrandedData | undefined {
  const warnings = warningsIn(status);
  if (status?.state !== 'UNAVAILABLE' || !warnings.some((each) => nodeLost.test(each))) return undefined;
  const found = warnings.map((each) => dataThere.exec(each)).find((match) => match !== null);
  const backup = found?.groups?.['backup'];
  return found && { ...(backup !== undefined && { backup }) };
}

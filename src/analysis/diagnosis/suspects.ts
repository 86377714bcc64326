import type { Sibling } from '../changes.ts';
import type { CauseMatch } from './match.ts';
import { isHostOf, isVariableOf } from './sibling-host.ts';
import type { DeploymentSituation } from './situation.ts';

// How lines tell that something else isn't there.
const absence = /refused|ENOTFOUND|EAI_AGAIN|no such host|bad address|resolv|translate host|not known|unknown ?host|unreachable|time[ds]?[ -]?out|(?:can't|cannot|could not|unable to|failed to) (?:connect|reach)|hang up|reset by peer|\b50[234]\b|not (?:set|found|defined)|unset|missing|required|undefined|KeyError|must be/i;

// What an app says of a database that a job was to prepare.
const unprepared = /schema|migrat|relation|column|\btables?\b/i;

const words = (text: string): string[] => text.split(/[^\w.-]+/);

/** Whether a line of the log tells that this sibling, or a variable of it, isn't there. */
const isMissed = (sibling: Sibling, { entries }: DeploymentSituation): boolean =>
  entries.some(({ searched }) => absence.test(searched) && words(searched).some((word) => isHostOf(sibling, word) || isVariableOf(sibling, word)));

const isUnprepared = ({ kind }: Sibling, { facts }: CauseMatch): boolean => kind === 'job' && Object.values(facts).some((fact) => unprepared.test(fact));

/** Whether a match says by itself why the service failed. */
const explains = ({ rule, facts, strength }: CauseMatch): boolean => strength > 0 && (rule.layer === 'cause' || facts['exception'] !== undefined);

/**
 * The siblings whose failure may be why the service failed: those that its log misses or, if nothing in the log explains the failure
 * by itself, all that failed before it.
 * @param finding the cause that the siblings may be behind @param all every match
 */
export function suspectedSiblings(finding: CauseMatch, all: readonly CauseMatch[], situation: DeploymentSituation): readonly Sibling[] {
  if (!finding.rule.suspectsSiblings) return [];
  const pointedAt = situation.failedSiblings.filter((sibling) => isMissed(sibling, situation) || isUnprepared(sibling, finding));
  return pointedAt.length > 0 || all.some(explains) ? pointedAt : situation.failedSiblings;
}

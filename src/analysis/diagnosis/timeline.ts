import { shortCommit, type PastDeployment } from '../history.ts';
import type { TimelineEntry } from './diagnosis.ts';
import { quote } from './quote.ts';
import type { Situation } from './situation.ts';

const contentOf = ({ commit, image }: PastDeployment): string => {
  const content = [commit && `commit ${shortCommit(commit)}`, image && `image ${image}`].filter(Boolean).join(', ');
  return content ? ` with ${content}` : '';
};

const begun = (deployment: PastDeployment): TimelineEntry => ({
  at: deployment.startedAt,
  what: `${deployment.action.toLowerCase()} begun${deployment.triggeredBy ? ` by ${deployment.triggeredBy}` : ''}${contentOf(deployment)}`,
});

const stepWords: Readonly<Record<string, string>> = { SUCCESS: 'succeeded', ERROR: 'failed', CANCELED: 'canceled' };

const mostChanges = 5;

/**
 * What happened, in its order: the last good deployment, what changed, the deployment's steps, the first line that
 * tells of the cause, the end.
 * @param sign place of that entry
 */
export function timelineOf(situation: Situation, sign?: number): TimelineEntry[] {
  const { lastGood, changes, deployment, steps, entries } = situation;
  if (deployment === undefined) return [];
  const line = sign === undefined ? undefined : entries.find(({ place }) => place === sign);
  const dated = changes.filter(({ at }) => at !== undefined).toSorted((one, other) => Date.parse(one.at ?? '') - Date.parse(other.at ?? ''));
  return [
    ...(lastGood ? [{ at: lastGood.startedAt, what: `last good ${lastGood.action.toLowerCase()}${contentOf(lastGood)}` }] : []),
    ...dated.slice(-mostChanges).map(({ at, text }) => ({ at, what: text })),
    begun(deployment),
    ...steps.map(({ name, status, seconds }) => ({ what: `${name} ${stepWords[status ?? ''] ?? status ?? 'went on'}`, seconds })),
    ...(line ? [{ at: line.time, what: `first sign: ${quote(line.text.trim())}` }] : []),
    { at: deployment.endedAt, what: deployment.end === undefined ? `still ${deployment.state ?? 'going'}` : `ended as ${deployment.state ?? 'unknown'}`, seconds: deployment.seconds },
  ];
}

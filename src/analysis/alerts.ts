import { isoTime, isUntold } from '../contract/index.ts';

/** An alert rule that fires. */
export interface FiringAlert {
  readonly name: string;
  readonly state?: string;
  readonly since?: string;
  /** Nobody is told of it until then. */
  readonly silencedUntil?: string;
  /** The cluster that it is about; absent if it is about something on one. */
  readonly cluster?: string;
}

/** A time to the minute, where it stands between other words. */
export const sinceTexts = (since: string | undefined): readonly string[] =>
  since === undefined ? [] : [`since ${isoTime(since)?.replace(/:\d\d(?:\.\d+)?Z$/, 'Z') ?? since}`];

/**
 * The names of alerts that fire, after the cluster they are about, and with those of which nobody is told marked.
 * @param isTimed whether each says since when it fires
 */
export const alertNames = (alerts: readonly FiringAlert[], isTimed = false): readonly string[] =>
  alerts.map(({ name, state, silencedUntil: until, cluster, since }) =>
    [
      cluster === undefined ? name : `cluster ${cluster}: ${name}`,
      ...(isUntold(state) ? [`(${state!}: nobody is told${until === undefined ? '' : ` until ${until}`})`] : []),
      ...(isTimed ? sinceTexts(since) : []),
    ].join(' '),
  );

/** How often to look at something, in milliseconds. */
export interface PollInterval {
  readonly least: number;
  readonly most: number;
  /** The part of the time passed after which to look again. */
  readonly part: number;
}

/**
 * How long to wait until the next look, in milliseconds: the longer, the longer it takes already.
 * @param passed in milliseconds
 */
export const pollPause = ({ least, most, part }: PollInterval, passed: number): number =>
  Math.min(most, Math.max(least, Math.round(passed * part)));

/** How long an engine may take to answer while something waits for it, in milliseconds. */
export const answerMilliseconds = 5000;

/** How long an instance may wait for a node with room, in milliseconds. */
export const placementMilliseconds = 30_000;

/** How often to poll, in milliseconds. */
export interface PollInterval {
  readonly least: number;
  readonly most: number;
  /** The next pause as a part of the time passed. */
  readonly part: number;
}

/**
 * Returns the pause before the next poll, in milliseconds; it grows with the time elapsed.
 * @param passed the time elapsed, in milliseconds
 */
export const pollPause = ({ least, most, part }: PollInterval, passed: number): number =>
  Math.min(most, Math.max(least, Math.round(passed * part)));

/** The timeout for an engine's response while a caller waits for it, in milliseconds. */
export const answerMilliseconds = 5000;

/** How long an instance may wait for a node with room, in milliseconds. */
export const placementMilliseconds = 30_000;

/** How long an engine may take to answer while something waits for it, in milliseconds. */
export const answerMilliseconds = 5000;

/** How long an instance may wait for a node with room, in milliseconds. */
export const placementMilliseconds = 30_000;

/** One log line, with its time and pod. */
export interface RuntimeLogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly message: string;
  readonly pod: string;
  /** What the pod runs: a short commit, an image tag, a chart version. */
  readonly version: string;
}

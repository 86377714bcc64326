import type { GitAddress } from './git-address.ts';

/** What was asked for, for what a failure means. */
export interface GitRequest {
  readonly address: GitAddress;
  readonly branch: string;
  readonly commitId?: string;
}

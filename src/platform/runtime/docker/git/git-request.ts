import type { GitAddress } from './git-address.ts';

/** A request for a source. Failures are explained by it. */
export interface GitRequest {
  readonly address: GitAddress;
  readonly branch: string;
  readonly commitId?: string;
}

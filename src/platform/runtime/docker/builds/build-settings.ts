import { mebibyte } from '../../../common/index.ts';
import type { GitHosts } from '../../index.ts';

/** What whoever runs a platform decides about building images. */
export interface BuildSettings {
  /** Git servers that need credentials, or are private. Any other is asked anonymously, at public addresses only. */
  readonly git: GitHosts;
  /**
   * Where built images are pushed: a host with its port, and a path if wanted. Without it, images stay on the engine,
   * which must be its cluster's only node.
   */
  readonly registry?: string;
  /** The most that one commit may take, as git stores it and as an archive; in bytes. */
  readonly sourceBytes: number;
  /** How long a build may take, in milliseconds. */
  readonly buildMilliseconds: number;
  /** For each step of a build, in bytes. */
  readonly memoryBytes: number;
}

/** What holds where nothing is configured. */
export const defaultBuildSettings: BuildSettings = {
  git: {},
  sourceBytes: 1024 * mebibyte,
  buildMilliseconds: 30 * 60_000,
  memoryBytes: 4096 * mebibyte,
};

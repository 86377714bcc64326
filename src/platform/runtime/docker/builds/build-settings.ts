import { mebibyte } from '../../../common/index.ts';
import type { GitHosts } from '../../index.ts';

/** An operator's settings for building images. */
export interface BuildSettings {
  /** Git servers that need credentials, or are private. Any other is accessed anonymously, at public addresses only. */
  readonly git: GitHosts;
  /**
   * The registry that built images are pushed to: a host with its port, and optionally a path. Without it, images stay
   * on the engine, which must be its cluster's only node.
   */
  readonly registry?: string;
  /** The maximum size of one commit, as git stores it and as an archive, in bytes. */
  readonly sourceBytes: number;
  /** The time limit for a build, in milliseconds. */
  readonly buildMilliseconds: number;
  /** The memory limit for each step of a build, in bytes. */
  readonly memoryBytes: number;
}

/** The defaults. */
export const defaultBuildSettings: BuildSettings = {
  git: {},
  sourceBytes: 1024 * mebibyte,
  buildMilliseconds: 30 * 60_000,
  memoryBytes: 4096 * mebibyte,
};

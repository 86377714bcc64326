import { spawnSync } from 'node:child_process';

/**
 * The links of overlay networks on the host of the engine: none, unless an engine was killed while it made one. Only in
 * the docker suite.
 */
export const linksOnHost = (): string[] =>
  spawnSync('ip', ['-oneline', 'link', 'show', 'type', 'vxlan'], { encoding: 'utf8' })
    .stdout.split('\n')
    .flatMap((line) => /^\d+: ([^:@]+)/.exec(line)?.[1] ?? []);

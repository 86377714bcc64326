import type { GitHost, GitHosts } from '../../index.ts';

/** The settings of a host. */
export const gitHostOf = (hosts: GitHosts, host: string): GitHost => (Object.hasOwn(hosts, host) ? hosts[host]! : {});

/** How a platform may use one git server. Only whoever runs the platform decides that. */
export interface GitHost {
  /** The name that the token goes with. Default: `git`, which most servers take. */
  readonly username?: string;
  /** A token or password for reading, over https. */
  readonly token?: string;
  /** The files of ssh: a private key without a passphrase, and the keys of the server. */
  readonly ssh?: { readonly keyFile: string; readonly knownHostsFile: string };
  /** Whether it may be at a private or loopback address, and be asked over plain http. */
  readonly isPrivate?: boolean;
  /**
   * Names of tags, with at most one star in each, from whose history versions may be taken beside the branch. Default:
   * none.
   */
  readonly tags?: readonly string[];
}

/** Git servers by their hosts, with the port where the address has one. */
export type GitHosts = Readonly<Record<string, GitHost>>;

/** What is known of a host. */
export const gitHostOf = (hosts: GitHosts, host: string): GitHost => (Object.hasOwn(hosts, host) ? hosts[host]! : {});

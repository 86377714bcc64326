import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Debian's packages by the programs and files that tests need beside Node. A program is searched in the folders of
 * programs, a path is looked at.
 */
const packages = {
  busybox: 'busybox-static',
  caddy: 'caddy',
  chromium: 'chromium',
  debootstrap: 'debootstrap',
  'docker-registry': 'docker-registry',
  dockerd: 'docker.io',
  fish: 'fish',
  // The fonts of the pictures that the tests in a browser compare.
  '/usr/share/fonts/truetype/dejavu/DejaVuSansMono-Bold.ttf': 'fonts-dejavu-core',
  // What compiles the programs for containers, and runs those for another kind of CPU.
  'aarch64-linux-gnu-gcc': 'gcc-aarch64-linux-gnu',
  'x86_64-linux-gnu-gcc': 'gcc-x86-64-linux-gnu',
  'qemu-aarch64-static': 'qemu-user-static',
  git: 'git',
  haproxy: 'haproxy',
  ip: 'iproute2',
  openssl: 'openssl',
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  prometheus: 'prometheus',
  // Debian's package with the server would start it; this one has the same program.
  'redis-check-rdb': 'redis-tools',
  script: 'bsdutils',
  'systemd-analyze': 'systemd',
  zsh: 'zsh',
} as const;

export type DebianPackage = (typeof packages)[keyof typeof packages];

/** Where programs are; those of administrators aren't on everybody's PATH. */
const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin'];

const isThere = (name: string): boolean =>
  name.startsWith('/') ? existsSync(name) : folders.some((folder) => existsSync(join(folder, name)));

/** Those of the given packages whose program or file is not on this machine. */
export const missingPackages = (needed: Iterable<DebianPackage>): readonly DebianPackage[] => {
  const wanted = new Set(needed);
  return Object.entries(packages)
    .filter(([name, debianPackage]) => wanted.has(debianPackage) && !isThere(name))
    .map(([, debianPackage]) => debianPackage);
};

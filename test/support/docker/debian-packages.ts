import { postgresVersion } from '../postgres/installed.ts';

/**
 * Debian's packages by the programs that the docker suite starts.
 * @param postgres the version of PostgreSQL, which is part of names
 */
export const packagesByProgram = (postgres = postgresVersion): Readonly<Record<string, string>> => ({
  '/usr/sbin/dockerd': 'docker.io',
  '/usr/bin/docker-registry': 'docker-registry',
  '/usr/bin/busybox': 'busybox-static',
  '/usr/bin/git': 'git',
  '/usr/bin/caddy': 'caddy',
  '/usr/bin/prometheus': 'prometheus',
  [`/usr/lib/postgresql/${postgres}/bin/postgres`]: `postgresql-${postgres}`,
  '/usr/bin/redis-check-rdb': 'redis-tools',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/openssl': 'openssl',
  '/usr/bin/ssh': 'openssh-client',
  '/usr/sbin/sshd': 'openssh-server',
  '/usr/lib/systemd/systemd': 'systemd',
});

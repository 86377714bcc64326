/**
 * Runs test files of the docker suite with a newer engine than this machine has: with that of the next version of
 * Debian, in a root file system of its own. Nothing is installed on this machine, and the kernel drops every mount and
 * process when the run ends. Arguments are those of vitest; without any, a choice of files runs.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programDirectoryVariable } from '../support/build-once.ts';
import { removeCgroups } from '../support/docker/cgroups.ts';
import { packagesByProgram } from '../support/docker/debian-packages.ts';
import { killInit } from '../support/docker/own-namespaces.ts';

const root = join(import.meta.dirname, '../..');

/** The version of Debian with the newer engine, and that of PostgreSQL in it. */
const debian = { name: 'trixie', postgres: '17' } as const;

/**
 * What tests start and a minimal system lacks beside what the suite asks for: the client of engines, and the libraries
 * of Node.
 */
const further = ['docker-cli', 'ca-certificates', 'iptables', 'libatomic1', 'libstdc++6'];

/** What runs without arguments: deployments and builds, on nodes that come, go and fail. */
const chosen = ['hosts', 'nodes', 'rollouts-and-nodes'].map((name) => `test/docker/${name}.test.ts`);

/** Where the Node that runs this is in that file system. */
const node = '/usr/local/bin/node';

/**
 * The first process of the namespaces: makes the root file system, enters it with this repository and this Node at
 * hand, and runs the suite there. It is `pivot_root` and not `chroot` because whoever enters this namespace of mounts
 * later has to find the same root.
 */
const script = `set -e
system=$1 program=$2 repository=$3 packages=$4 mirror=$5
shift 5
debootstrap --variant=minbase --include="$packages" ${debian.name} "$system" "$mirror" > "$system/log" 2>&1 || { tail -n 20 "$system/log" >&2; exit 1; }
rm -f "$system"/var/cache/apt/archives/*.deb
mount --bind "$system" "$system"
mkdir -p "$system$repository" "$system/before"
touch "$system${node}"
mount --bind "$repository" "$system$repository"
mount --bind "$program" "$system${node}"
mount --rbind /dev "$system/dev"
mount --rbind /sys "$system/sys"
mount -t proc proc "$system/proc"
cd "$system"
pivot_root . before
cd "$repository"
umount --lazy /before
dockerd --version
${node} --import tsx test/docker/run.ts "$@"
`;

/** Where this machine gets its own packages of Debian from; undefined if apt doesn't tell. */
function mirrorOfDebian(): string | undefined {
  const { stdout } = spawnSync(
    'apt-get',
    ['indextargets', '--format', '$(ORIGIN) $(RELEASE) $(SITE)', 'Created-By: Packages'],
    { encoding: 'utf8' },
  );
  // Releases with a dash, such as those of security updates, have other places.
  return /^Debian [a-z]+ (\S+)$/m.exec(stdout ?? '')?.[1];
}

/** Why this can't run here; undefined if it can. */
function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'it needs root, to mount a root file system';
  if (!existsSync('/usr/sbin/debootstrap'))
    return 'a program is missing. Install it with: apt-get install --no-install-recommends debootstrap';
  if (mirrorOfDebian() === undefined) return 'apt does not tell where packages of Debian are';
  const { status, stderr } = spawnSync('unshare', ['--mount', '--pid', '--fork', '--', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `this user may not make namespaces: ${stderr.trim()}`;
}

/** Removes the root file system, and what a killed suite in it left of cgroups. */
async function removeSystem(system: string): Promise<void> {
  const temporary = join(system, 'tmp');
  const left = (existsSync(temporary) ? readdirSync(temporary) : []).filter((name) =>
    name.startsWith('infra-mcp-docker-'),
  );
  try {
    await Promise.all(left.map((name) => removeCgroups(name)));
  } finally {
    await rm(system, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Runs the suite with the given arguments in a root file system that is removed afterwards. @returns the exit code */
async function runApart(args: readonly string[]): Promise<number> {
  const system = await mkdtemp(join(tmpdir(), 'infra-mcp-debian-'));
  try {
    // Packages of servers start them otherwise, on ports of this machine.
    await mkdir(join(system, 'usr/sbin'), { recursive: true });
    await writeFile(join(system, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
    const packages = [...Object.values(packagesByProgram(debian.postgres)), ...further].join(',');
    // What other suites were given, such as the program, isn't in that file system.
    const child = spawn(
      'unshare',
      [
        '--mount',
        '--pid',
        '--fork',
        '--mount-proc',
        '--kill-child',
        '--',
        'sh',
        '-c',
        script,
        'sh',
        system,
        process.execPath,
        root,
        packages,
        mirrorOfDebian()!,
        ...args,
      ],
      {
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ...process.env,
          PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
          HOME: '/root',
          TMPDIR: '/tmp',
          LC_ALL: 'C.UTF-8',
          [programDirectoryVariable]: undefined,
        },
      },
    );
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => void killInit(child).catch(() => undefined));
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? 1;
  } finally {
    await removeSystem(system);
  }
}

const args = process.argv.slice(2);
const why = obstacle();
if (why === undefined) process.exitCode = await runApart(args.length > 0 ? args : chosen);
else {
  console.error(`The docker suite with a newer engine is skipped: ${why}`);
  // A skipped suite would look like one that passed.
  if (process.env['CI']) process.exitCode = 1;
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cgroupOf } from './cgroups.ts';
import { waitUntil } from './docker-engine.ts';
import { killInit, suiteDirectory } from './own-namespaces.ts';

/** A machine whose process 1 is systemd, with infra-mcp installed for everybody. It shares the network of the suite. */
export interface SystemdMachine {
  /** Runs a command as its administrator. */
  readonly type: (command: string) => {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  };
  /** Turns it off, and removes its disk. */
  readonly end: () => Promise<void>;
}

/** Where systemd counts its processes: a hierarchy of its own, or the one that has everything. */
const hierarchy = (): string =>
  ['/sys/fs/cgroup/systemd', '/sys/fs/cgroup'].find((path) => existsSync(join(path, 'cgroup.procs')))!;

/** The units of the machine beside those under test: a boot that waits for nothing. */
const targets = ['sysinit', 'basic', 'network-online', 'multi-user', 'shutdown'];

/**
 * What is process 1 before it becomes systemd. Its root is that of this machine, where all that is written stays in
 * memory. Nothing but the given units may run: those of this machine would set its kernel up anew.
 */
const boot = `set -e
disk=$1 cgroups=$2 socket=$3 node=$4 program=$5 bin=$6
mount --make-rprivate /
mount -t tmpfs disk "$disk"
mkdir "$disk/upper" "$disk/work" "$disk/root"
mount -t overlay -o "lowerdir=/,upperdir=$disk/upper,workdir=$disk/work" root "$disk/root"
cd "$disk/root"
mount -t proc proc proc
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount --rbind /dev dev
mount -t sysfs -o ro sys sys
case "$cgroups" in
  */systemd) mount -t tmpfs cgroups sys/fs/cgroup && mkdir sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd ;;
  *) mount -t cgroup2 cgroup sys/fs/cgroup ;;
esac
for each in run tmp etc/systemd; do mount -t tmpfs "$each" "$each"; done
mkdir etc/systemd/system before
for each in ${targets.join(' ')}; do printf '[Unit]\\nDescription=%s\\nDefaultDependencies=no\\n' "$each" > "etc/systemd/system/$each.target"; done
grep -q '^docker:' etc/group || groupadd --system --root "$PWD" docker
touch run/docker.sock
mount --bind "$socket" run/docker.sock
chgrp docker run/docker.sock
mkdir -p usr/lib/node_modules/infra-mcp/bin
cp -R "$program" usr/lib/node_modules/infra-mcp/dist
cp "$bin" usr/lib/node_modules/infra-mcp/bin/infra-mcp.mjs
cp --remove-destination "$node" usr/bin/node
ln -sf ../lib/node_modules/infra-mcp/bin/infra-mcp.mjs usr/bin/infra-mcp
hostname machine
pivot_root . before
umount --lazy /before
exec env --ignore-environment container=test SYSTEMD_UNIT_PATH=/etc/systemd/system SYSTEMD_GENERATOR_PATH=/none \\
  PATH=/usr/sbin:/usr/bin:/sbin:/bin /usr/lib/systemd/systemd --system --unit=multi-user.target
`;

const bin = join(import.meta.dirname, '../../../bin/infra-mcp.mjs');

/**
 * Starts a machine. Only in the docker suite.
 * @param socket the path of the engine's socket
 * @param program the directory of the built program
 * @throws Error if it doesn't get ready, with what it said
 */
export async function startSystemdMachine(socket: string, program: string): Promise<SystemdMachine> {
  const suite = suiteDirectory();
  const disk = await mkdtemp(join(suite, 'systemd-'));
  const log = join(suite, 'systemd.log');
  const root = hierarchy();
  const cgroup = join(root, cgroupOf(suite), 'systemd');
  await mkdir(cgroup, { recursive: true });
  const output = openSync(log, 'a');
  // Only a process that is in the cgroup takes it along as the root of its namespace.
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  const apart = ['unshare', '--mount', '--uts', '--ipc', '--pid', '--cgroup', '--fork', '--kill-child', '--'];
  const holder: ChildProcess = spawn(
    'sh',
    ['-c', enter, cgroup, ...apart, 'sh', '-c', boot, 'sh', disk, root, socket, process.execPath, program, bin],
    { stdio: ['ignore', output, output] },
  );
  const pid = (): string => readFileSync(`/proc/${holder.pid}/task/${holder.pid}/children`, 'utf8').trim();
  const type: SystemdMachine['type'] = (command) =>
    spawnSync(
      'nsenter',
      [
        '--target',
        pid(),
        '--mount',
        '--uts',
        '--ipc',
        '--pid',
        '--cgroup',
        '--root',
        '--wd',
        '--',
        'sh',
        '-c',
        command,
      ],
      { encoding: 'utf8', env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8' } },
    );
  const end = async (): Promise<void> => {
    await killInit(holder);
    await rm(disk, { recursive: true, force: true, maxRetries: 10 });
  };
  try {
    await waitUntil('systemd is up', () => {
      if (holder.exitCode !== null) throw new Error('It ended.');
      return pid() !== '' && type('systemctl is-system-running').stdout.trim() === 'running';
    });
  } catch (error) {
    await end();
    throw new Error(`systemd did not get ready. It said:\n${readFileSync(log, 'utf8').slice(-2000)}`, { cause: error });
  }
  return { type, end };
}

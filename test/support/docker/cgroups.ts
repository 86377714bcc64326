import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const mountPoint = '/sys/fs/cgroup';

/** Where engines have their settings and their identity. */
export const engineSettings = '/etc/docker';

/** Runs a program. @throws Error with what it printed, if it fails */
export function runProgram(program: string, ...args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}

/** The mount points of this process, and the kinds of their file systems. */
export const readMounts = (): readonly { readonly path: string; readonly kind: string }[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [before = '', after = ''] = line.split(' - ');
      return { path: before.split(' ')[4]!, kind: after.split(' ')[0]! };
    });

const isMounted = (path: string): boolean => readMounts().some((mount) => mount.path === path);

/**
 * The controllers of the first version of cgroups that this machine uses, such as `memory`, `cpu,cpuacct` and
 * `name=systemd`.
 */
const controllers = (): string[] =>
  readFileSync('/proc/self/cgroup', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(':')[1]!)
    .filter((name) => name !== '');

/**
 * Mounts every cgroup hierarchy that exists and isn't mounted. Engines don't report processes that ran out of memory
 * otherwise. Only for a mount namespace of one's own.
 */
export function mountCgroups(): void {
  const hierarchies = controllers();
  if (!isMounted(mountPoint))
    runProgram('mount', '-t', hierarchies.length === 0 ? 'cgroup2' : 'tmpfs', 'cgroup', mountPoint);
  for (const name of hierarchies) {
    const path = join(mountPoint, name.replace(/^name=/, ''));
    if (isMounted(path)) continue;
    mkdirSync(path, { recursive: true });
    runProgram('mount', '-t', 'cgroup', '-o', name.startsWith('name=') ? `none,${name}` : name, 'cgroup', path);
  }
}

/**
 * Hides the settings and the identity of this machine's engine from others. Only for a mount namespace of one's own.
 */
export function hideEngineSettings(): void {
  mkdirSync(engineSettings, { recursive: true });
  runProgram('mount', '-t', 'tmpfs', 'settings', engineSettings);
}

/** The cgroup of the engines of a suite. @param directory of the suite */
export const cgroupOf = (directory: string): string => `/${basename(directory)}`;

const removeTree = (path: string): void => {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeTree(join(path, entry.name));
  rmdirSync(path);
};

/** How often to try to remove cgroups, and the wait between, in milliseconds: killed processes take a moment to end. */
const removal = { attempts: 50, wait: 100 };

const removeWhenFree = async (path: string, attempts = removal.attempts): Promise<void> => {
  try {
    removeTree(path);
  } catch (error) {
    if (attempts === 1) throw error;
    await delay(removal.wait);
    await removeWhenFree(path, attempts - 1);
  }
};

/** Removes what killed engines left of the cgroups of a suite. Their processes must have been killed. */
export async function removeCgroups(directory: string): Promise<void> {
  const roots = [
    mountPoint,
    ...readdirSync(mountPoint, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(mountPoint, name)),
  ];
  for (const path of roots.map((root) => join(root, cgroupOf(directory))).filter((one) => existsSync(one))) {
    await removeWhenFree(path);
  }
}

import { spawnSync } from 'node:child_process';
import { runProgram } from './cgroups.ts';

/** The network between the hosts of a test and the test itself. */
const bridge = 'hosts';
const subnet = '192.168.99';

/** The address of the test, where registries for hosts listen. */
export const testAddress = `${subnet}.1`;

/** The addresses that hosts and the test have. */
export const hostSubnet = `${subnet}.0/24`;

/** The address of a host. @param index from 0 */
export const addressOfHost = (index: number): string => `${subnet}.${index + 11}`;

const linkOf = (index: number): string => `host${index}`;

/** Engines of the suite's own network drop what is forwarded, and bridges forward. */
const forwarding = ['FORWARD', '-i', bridge, '-o', bridge, '-j', 'ACCEPT'];

/** Makes the network. @throws Error if there is one: one group of hosts runs at a time */
export function makeHostNetwork(): void {
  // Without an address of its own, a bridge takes another one whenever hosts come and go, and those that are there lose
  // the registry for half a minute.
  runProgram('ip', 'link', 'add', bridge, 'address', '02:00:00:00:99:01', 'type', 'bridge');
  runProgram('ip', 'address', 'add', `${testAddress}/24`, 'dev', bridge);
  runProgram('ip', 'link', 'set', bridge, 'up');
  runProgram('iptables', '--wait', '-I', ...forwarding);
}

export function removeHostNetwork(): void {
  spawnSync('iptables', ['--wait', '-D', ...forwarding]);
  spawnSync('ip', ['link', 'delete', bridge]);
}

/**
 * Connects the network namespace of a process, which has no other link yet.
 * @param pid of the process
 * @param index of the host
 */
export function connectHost(pid: number, index: number): void {
  const link = linkOf(index);
  // That of a host that was killed can still be there.
  spawnSync('ip', ['link', 'delete', link]);
  runProgram('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid));
  runProgram('ip', 'link', 'set', link, 'master', bridge, 'up');
  const inside = (...args: readonly string[]): void =>
    runProgram('nsenter', '--target', String(pid), '--net', '--', 'ip', ...args);
  inside('link', 'set', 'lo', 'up');
  inside('address', 'add', `${addressOfHost(index)}/24`, 'dev', 'eth0');
  inside('link', 'set', 'eth0', 'up');
  inside('route', 'add', 'default', 'via', testAddress);
}

/** Cuts a host off from all others, or connects it again. @param state of its link */
export const setLinkOfHost = (index: number, state: 'up' | 'down'): void =>
  runProgram('ip', 'link', 'set', linkOf(index), state);

const toRegistry = (host: string, registry: string): readonly string[] => [
  'INPUT',
  '-s',
  host,
  '-p',
  'tcp',
  '--dport',
  registry.split(':')[1]!,
  '-j',
  'REJECT',
  '--reject-with',
  'tcp-reset',
];

/** Keeps a host from reaching a registry of the test. @param host its address @param registry host and port */
export const forbidRegistry = (host: string, registry: string): void =>
  runProgram('iptables', '--wait', '-I', ...toRegistry(host, registry));

/** Takes that back. */
export const permitRegistry = (host: string, registry: string): void =>
  runProgram('iptables', '--wait', '-D', ...toRegistry(host, registry));

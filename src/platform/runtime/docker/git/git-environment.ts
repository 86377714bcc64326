import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { proxyFor } from '../../../../outgoing/index.ts';
import { type GitAddress, gitHostOf } from './git-address.ts';
import type { GitHost, GitHosts } from '../../index.ts';

/** How long a server may send almost nothing before git gives up, in seconds. */
const stallSeconds = 30;

/** The environment that git inherits: only the search path for programs, so that no setting of the user applies. */
const inherited = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C',
});

/** No hooks, helpers, redirects or other users' settings; received objects are checked. */
const fixedSettings: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['fetch.fsckObjects', 'true'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['core.askPass', ''],
  ['safe.directory', '*'],
  ['protocol.version', '2'],
  // Histories of real projects contain these, and they are harmless in an archive.
  ['fetch.fsck.zeroPaddedFilemode', 'ignore'],
  ['fetch.fsck.missingSpaceBeforeDate', 'ignore'],
  ['fetch.fsck.badTimezone', 'ignore'],
];

/**
 * The settings for one server. They are passed as environment variables: arguments and files would expose the token.
 */
const serverSettings = (
  { scheme, host, hostname, port }: GitAddress,
  { token, username = 'git' }: GitHost,
  addresses: readonly string[],
): readonly (readonly [string, string])[] => {
  if (scheme === 'ssh') return [];
  const listed = addresses.map((each) => (isIP(each) === 6 ? `[${each}]` : each)).join(',');
  return [
    ...(isIP(hostname) === 0 && listed !== ''
      ? [['http.curloptResolve', `${hostname}:${port}:${listed}`] as const]
      : []),
    ...(token === undefined
      ? []
      : [
          [
            `http.${scheme}://${host}/.extraHeader`,
            `Authorization: Basic ${Buffer.from(`${username}:${token}`).toString('base64')}`,
          ] as const,
        ]),
  ];
};

/** The variable that names the proxy to git, if one is to be used. Its password must not be among the arguments. */
const proxyVariable = ({ scheme, url }: GitAddress): Record<string, string> => {
  const proxy = scheme === 'ssh' ? undefined : proxyFor(url);
  return proxy === undefined ? {} : { [`${scheme}_proxy`]: proxy.url };
};

const asVariables = (settings: readonly (readonly [string, string])[]): Record<string, string> => ({
  GIT_CONFIG_COUNT: String(settings.length),
  ...Object.fromEntries(
    settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
});

/** Settings of ssh. Its usual configuration files are not read, and an unknown server is refused. */
function sshSettings({ hostname, port }: GitAddress, { ssh }: GitHost, addresses: readonly string[]): string {
  const files =
    ssh === undefined
      ? ['IdentityFile none', 'UserKnownHostsFile /dev/null']
      : [`IdentityFile "${ssh.keyFile}"`, `UserKnownHostsFile "${ssh.knownHostsFile}"`];
  return [
    'Host *',
    ...files,
    'GlobalKnownHostsFile /dev/null',
    'IdentitiesOnly yes',
    'IdentityAgent none',
    'StrictHostKeyChecking yes',
    'UpdateHostKeys no',
    'BatchMode yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'ForwardAgent no',
    'ClearAllForwardings yes',
    'PermitLocalCommand no',
    'ConnectTimeout 10',
    'ServerAliveInterval 10',
    'ServerAliveCountMax 3',
    ...(addresses[0] === undefined ? [] : [`HostName ${addresses[0]}`]),
    `HostKeyAlias ${port === 22 ? hostname : `[${hostname}]:${port}`}`,
    '',
  ].join('\n');
}

/** The environment of git commands that contact no server. */
export const localGitEnvironment = (): Record<string, string> => ({
  ...inherited(),
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ATTR_NOSYSTEM: '1',
  ...asVariables(fixedSettings),
});

/**
 * The environment of git commands that contact a server.
 * @param addresses the only ones to use
 * @param directory a folder of the platform, for the settings of ssh
 */
export async function gitEnvironmentFor(
  hosts: GitHosts,
  address: GitAddress,
  addresses: readonly string[],
  directory: string,
): Promise<Record<string, string>> {
  const host = gitHostOf(hosts, address.host);
  const environment = {
    ...localGitEnvironment(),
    ...asVariables([...fixedSettings, ...serverSettings(address, host, addresses)]),
    GIT_ALLOW_PROTOCOL: 'http:https:ssh',
    GIT_HTTP_LOW_SPEED_LIMIT: '100',
    GIT_HTTP_LOW_SPEED_TIME: String(stallSeconds),
    HOME: directory,
    ...proxyVariable(address),
  };
  if (address.scheme !== 'ssh') return environment;
  const file = join(directory, 'ssh-settings');
  await writeFile(file, sshSettings(address, host, addresses), { mode: 0o600 });
  // Git passes this to a shell. The platform chose the path; no part of the address is in it.
  return {
    ...environment,
    GIT_SSH_COMMAND: `ssh -F '${file.replaceAll("'", String.raw`'\''`)}'`,
    GIT_SSH_VARIANT: 'ssh',
  };
}

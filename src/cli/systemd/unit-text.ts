import type { Launch } from '../init/launch.ts';

/** What a unit of systemd starts, and what it may write. */
export interface UnitSettings {
  /** The program and its first arguments, with absolute paths. */
  readonly launch: Launch;
  /** The variables with the options of the platform. None of them is secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** The folders that the platform writes in. */
  readonly writable: readonly string[];
  /** All paths that it reads: files and folders of options. */
  readonly read: readonly string[];
  /** Whether it opens Docker engines, whose socket belongs to a group. */
  readonly usesDocker: boolean;
  /** The ports that it listens on. */
  readonly ports: readonly number[];
}

/** The name of the unit, and the user as whom it runs. */
export const unitName = 'infra-mcp-platform';
export const unitUser = 'infra-mcp';

/** A file with secret variables, which only root needs to read. It may be missing. */
export const secretsFile = '/etc/infra-mcp/platform.env';

/** The folder below which systemd makes the folders of services. */
const states = '/var/lib/';

const homes = ['/home/', '/root/', '/run/user/'];

const temporary = ['/tmp/', '/var/tmp/'];

const isIn = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => `${path}/`.startsWith(folder));

/** Whether a path is in the home folder of somebody. */
export const isInHome = (path: string): boolean => isIn(path, homes);

/** Whether a path is where files may be deleted at any time. PrivateTmp hides these folders. */
export const isTemporary = (path: string): boolean => isIn(path, temporary);

/** The first port that every user may listen on. */
const firstFreePort = 1024;

const portCapability = 'CAP_NET_BIND_SERVICE';

/** Escapes what systemd would replace or split. */
const escaped = (text: string): string =>
  text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('%', '%%');

const word = (text: string): string => `"${escaped(text).replaceAll('$', '$$$$')}"`;

/** A path that is not in quotes, as lists of folders have them. */
const listed = (path: string): string => escaped(path).replaceAll(' ', String.raw`\x20`);

const stateDirectories = (writable: readonly string[]): string[] =>
  writable.filter((path) => path.startsWith(states)).map((path) => listed(path.slice(states.length)));

const otherFolders = (writable: readonly string[]): string[] =>
  writable.filter((path) => !path.startsWith(states)).map(listed);

const withValues = (name: string, values: readonly string[]): string[] =>
  values.length === 0 ? [] : [`${name}=${values.join(' ')}`];

/** The folders without those that are in another one. */
const outermost = (folders: readonly string[]): string[] =>
  [...new Set(folders)].filter((folder) => !folders.some((other) => folder.startsWith(`${other}/`)));

/** All paths of a unit: those of the program, and those of its options. */
export const pathsOf = ({ launch: { command, args }, read, writable }: UnitSettings): readonly string[] => [
  command,
  ...args,
  ...read,
  ...writable,
];

const capabilities = (ports: readonly number[]): string =>
  ports.some((port) => port > 0 && port < firstFreePort)
    ? `# For a port below ${firstFreePort}.
AmbientCapabilities=${portCapability}
CapabilityBoundingSet=${portCapability}`
    : 'CapabilityBoundingSet=';

/** A unit of systemd that keeps a platform running. `systemd-analyze verify` accepts it. */
export function unitText(settings: UnitSettings): string {
  const { launch, environment, writable, usesDocker, ports } = settings;
  const { command, args } = launch;
  const folders = outermost(writable);
  const paths = pathsOf(settings);
  return `# Starts a platform, and starts it again if it fails. "infra-mcp platform --print-unit" prints it for other options and paths.
[Unit]
Description=infra-mcp platform
Wants=network-online.target
After=network-online.target${usesDocker ? ' docker.service' : ''}
# It is started again however often it fails.
StartLimitIntervalSec=0

[Service]
Type=notify
# systemd-notify says that the platform is ready: Node has no datagram sockets of Unix.
NotifyAccess=all
ExecStart=${[command, ...args, 'platform'].map(word).join(' ')}
${Object.entries(environment)
  .map(([name, value]) => `Environment="${name}=${escaped(value)}"`)
  .join('\n')}
# Variables with secrets, such as INFRA_DATABASE_URL. Only root has to be able to read it.
EnvironmentFile=-${secretsFile}
User=${unitUser}
${usesDocker ? '# Whoever may use the engine is root on its host.\nSupplementaryGroups=docker\n' : ''}Restart=on-failure
RestartSec=10
# Records of an earlier version are migrated first.
TimeoutStartSec=15min
TimeoutStopSec=60
# The platform ends its own processes.
KillMode=mixed
SuccessExitStatus=143

UMask=0077
${[
  ...withValues('StateDirectory', stateDirectories(folders)),
  ...(stateDirectories(folders).length > 0 ? ['StateDirectoryMode=0700'] : []),
  ...withValues('ReadWritePaths', otherFolders(folders)),
].join('\n')}
CacheDirectory=${unitUser}
Environment="XDG_CACHE_HOME=/var/cache/${unitUser}"

${capabilities(ports)}
LockPersonality=yes
# Not MemoryDenyWriteExecute: Node compiles while it runs.
NoNewPrivileges=yes
PrivateDevices=yes
${paths.some(isTemporary) ? '# It would hide paths of the platform in a folder for temporary files.\nPrivateTmp=no' : 'PrivateTmp=yes'}
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=${paths.some(isInHome) ? 'read-only' : 'yes'}
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
ProtectSystem=strict
RemoveIPC=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

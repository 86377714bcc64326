import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type DoctorFinding, findingBuilder } from '../../../common/index.ts';

const git = findingBuilder('git');
const ssh = findingBuilder('ssh');

/** The time limit for a program to print its version, in milliseconds. */
const timeout = 10_000;

/** The version that a program prints; undefined if it can't be started. */
const versionOf = (program: string, argument: string): Promise<string | undefined> =>
  promisify(execFile)(program, [argument], { timeout }).then(
    ({ stdout, stderr }) => (stdout || stderr).trim().split('\n')[0],
    () => undefined,
  );

/** Checks the programs that fetch the source of applications. @param servers the git servers of the clusters file */
export async function gitFindings(
  servers: Readonly<Record<string, { readonly ssh?: object }>>,
): Promise<DoctorFinding[]> {
  const found = await versionOf('git', '--version');
  const gitFinding =
    found === undefined
      ? git.note(
          'git is not installed on this machine: no application can be built from a repository',
          "Install git here, where the platform runs. Containers and databases don't need it.",
        )
      : git.good(found);
  const overSsh = Object.entries(servers)
    .filter(([, server]) => server.ssh !== undefined)
    .map(([host]) => host);
  if (overSsh.length === 0) return [gitFinding];
  const sshVersion = await versionOf('ssh', '-V');
  return [
    gitFinding,
    sshVersion === undefined
      ? ssh.bad(
          `ssh is not installed on this machine, and ${overSsh.join(' and ')} ${overSsh.length === 1 ? 'needs' : 'need'} it`,
          'Install an ssh client here, where the platform runs.',
        )
      : ssh.good(sshVersion),
  ];
}

import type { DockerCall, DockerClient, DockerRequest } from './client.ts';
import { DockerError } from './errors.ts';
import { type DockerFrame, dockerFrames } from './log-frames.ts';
import { dockerPath } from './paths.ts';

/** A command to run in a running container, without standard input. */
export interface DockerExec extends DockerCall {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly string[];
  /** Variables as `NAME=value`. */
  readonly env?: readonly string[];
  readonly user?: string;
}

/** A running command. */
export interface DockerRunningExec {
  /** Its output. It must be read to the end, or closed with `return()`. The command continues if it isn't read. */
  readonly output: AsyncGenerator<DockerFrame, void>;
  /** Its exit code, available only after the end of its output. */
  readonly exitCode: () => Promise<number>;
}

/** Runs a command in a running container. @throws DockerError `conflict` if the container doesn't run */
export async function execInDockerContainer(
  docker: DockerClient,
  container: string,
  { command, env = [], user, ...call }: DockerExec,
): Promise<DockerRunningExec> {
  const creation = { Cmd: command, Env: env, User: user, AttachStdout: true, AttachStderr: true };
  const { Id: id } = await docker.request<{ Id: string }>({
    method: 'POST',
    path: dockerPath`/containers/${container}/exec`,
    json: creation,
    ...call,
  });
  const start: DockerRequest = {
    method: 'POST',
    path: dockerPath`/exec/${id}/start`,
    json: { Detach: false, Tty: false },
    ...call,
  };
  const inspect: DockerRequest = { method: 'GET', path: dockerPath`/exec/${id}/json`, ...call };
  const output = dockerFrames(await docker.stream(start), start);
  return {
    output,
    exitCode: async () => {
      const { ExitCode: code } = await docker.request<{ ExitCode: number | null }>(inspect);
      if (code === null) throw new DockerError('bad answer', 'the command still runs', inspect);
      return code;
    },
  };
}

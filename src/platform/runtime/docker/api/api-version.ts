import { DockerError } from './errors.ts';

/** The oldest API version that this client supports: engine 20.10. */
export const oldestDockerApi = '1.41';

/** The newest API version that this client supports: engine 28. Newer engines support it too. */
export const newestDockerApi = '1.51';

/** Compares API versions such as 1.9 and 1.41, for sorting. */
export const compareDockerApi = (one: string, other: string): number => {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
};

/** The engine's versions, as it reports them. */
export interface DockerVersion {
  /** Version of the engine, such as 20.10.24. */
  readonly Version: string;
  /** The newest API version that it supports. */
  readonly ApiVersion: string;
  /** The oldest API version that it supports. */
  readonly MinAPIVersion?: string;
  /** Operating system of the engine, such as linux. */
  readonly Os: string;
  /** CPU architecture of the engine, such as amd64. */
  readonly Arch: string;
  readonly KernelVersion?: string;
}

const line = { method: 'GET', path: '/version' } as const;

/**
 * The API version to use with an engine: the newest that both support.
 * @throws DockerError of the kind `version` if there is none, or `bad answer` if it isn't an engine
 */
export function commonDockerApi({
  Version: version,
  ApiVersion: newest,
  MinAPIVersion: oldest,
}: Partial<DockerVersion>): string {
  if (!/^\d+\.\d+$/.test(newest ?? ''))
    throw new DockerError(
      'bad answer',
      'the response contains no API version, so it is not from a Docker engine',
      line,
    );
  if (compareDockerApi(newest!, oldestDockerApi) < 0) {
    throw new DockerError(
      'version',
      `the engine ${version} is too old: it speaks API versions up to ${newest}, and at least ${oldestDockerApi} is needed. Update it to Docker 20.10 or newer`,
      line,
    );
  }
  if (oldest !== undefined && compareDockerApi(oldest, newestDockerApi) > 0) {
    throw new DockerError(
      'version',
      `the engine ${version} is too new: it speaks API versions from ${oldest}, and the newest that this program speaks is ${newestDockerApi}. Update infra-mcp`,
      line,
    );
  }
  return compareDockerApi(newest!, newestDockerApi) < 0 ? newest! : newestDockerApi;
}

import { condition, type Condition, shortened } from '../../../../contract/index.ts';
import { ConditionError } from '../../index.ts';
import { isDockerError, type DockerProgress } from '../api/index.ts';

/** The maximum number of logged lines of a build, and the maximum length of a line. */
const mostLines = 20_000;
const longestLine = 4000;

/** The log of a build. */
export interface BuildLog {
  /**
   * Processes a message of the engine.
   * @returns the short id of the image that a step has just created; undefined if none
   */
  read(progress: DockerProgress): string | undefined;
  /** The short ids of the images that its steps created, or found from earlier builds. */
  readonly used: ReadonlySet<string>;
  /** Why the build failed. */
  failure(error: unknown): Error;
}

/** The maximum length of an instruction that an error quotes, in characters. */
const quotedCharacters = 200;

const notThere = /not found|manifest unknown|does not exist|No such image/i;
const denied = /denied|unauthorized|no basic auth/i;
const unreachable = /dial tcp|no such host|lookup |i\/o timeout|connection refused|server misbehaving/i;

const baseImageFailure = (image: string, said: string): Condition => {
  // Registries answer alike for missing images and for those that may not be pulled.
  if (denied.test(said)) return condition('BASE_IMAGE_DENIED', { image });
  if (notThere.test(said)) return condition('BASE_IMAGE_NOT_FOUND', { image });
  if (unreachable.test(said)) return condition('BASE_IMAGE_UNREACHABLE', { image, said });
  return condition('BASE_IMAGE_UNUSABLE', { image, said });
};

/** Reads the log of a build as it arrives. @param say adds a line to the log of the deployment */
export function createBuildLog(say: (message: string) => void): BuildLog {
  const used = new Set<string>();
  let lines = 0;
  let step: { readonly number: string; readonly instruction: string } | undefined;
  let isReused = false;

  const tell = (line: string): void => {
    lines += 1;
    if (lines <= mostLines) say(shortened(line, longestLine));
    else if (lines === mostLines + 1) say('The build has more output than is kept here; the rest is left out.');
  };

  const readLine = (line: string): string | undefined => {
    const begun = /^Step (?<number>\d+)\/\d+ : (?<instruction>.+)$/.exec(line)?.groups;
    if (begun) {
      step = { number: begun['number']!, instruction: begun['instruction']! };
      isReused = false;
    }
    if (/^ ---> Using cache$/.test(line)) isReused = true;
    tell(line);
    const id = /^ ---> (?<id>[0-9a-f]{12})$/.exec(line)?.groups?.['id'];
    // A base image isn't the build's.
    if (id === undefined || step === undefined || /^FROM\s/i.test(step.instruction)) return undefined;
    used.add(id);
    return isReused ? undefined : id;
  };

  return {
    used,
    read: ({ stream, status, id }) => {
      if (status !== undefined && id !== undefined && /^(?:Pull complete|Already exists)$/.test(status))
        tell(`${id}: ${status}`);
      return (stream ?? '')
        .split(/[\r\n]+/)
        .filter((line) => line.trim() !== '')
        .map(readLine)
        .findLast((made) => made !== undefined);
    },
    failure: (error) => {
      if (!isDockerError(error, 'failed', 'refused', 'not found'))
        return error instanceof Error ? error : new Error(String(error));
      const { reason, code } = error;
      tell(reason);
      const failed = (why: Condition): Error => new ConditionError(why, { cause: error });
      // A full disk can show up while the Dockerfile is written.
      if (step === undefined)
        return failed(
          /dockerfile/i.test(reason) && !/no space left/.test(reason)
            ? condition('DOCKERFILE_UNREADABLE', { said: reason })
            : condition('BUILD_NOT_BEGUN', { said: reason }),
        );
      const base = /^FROM\s+(?:--\S+\s+)*(?<image>\S+)/i.exec(step.instruction)?.groups?.['image'];
      if (base !== undefined) return failed(baseImageFailure(base, reason));
      // The number of steps is left out: the engine counts the labels that every image gets.
      return failed(
        condition('BUILD_STEP_FAILED', {
          step: step.number,
          instruction: shortened(step.instruction, quotedCharacters),
          code,
          said: code === undefined ? reason : undefined,
        }),
      );
    },
  };
}

import { programPath } from '../programs/programs.ts';

/** Where a container has the file with its secret variables. The engine keeps it in memory only. */
export const secretVariablesPath = '/run/secrets/infra-environment';

/** The most bytes that the file may have: engines take a secret of less than 500 KiB. */
const largestFile = 500 * 1024 - 1;

/** The most bytes that a variable may have, with its name: the kernel starts no program with a longer one. */
const longestVariable = 128 * 1024 - 1;

interface Variable {
  readonly key: string;
  readonly value: string;
}

const encode = ({ key, value }: Variable): Buffer => {
  if (key === '' || /[=\0]/.test(key)) throw new Error(`A variable can't be called "${key.replaceAll('\0', '\\0')}".`);
  if (value.includes('\0'))
    throw new Error(`The value of ${key} has a zero byte, which a variable can't have: mount it as a file.`);
  const line = Buffer.from(`${key}=${value}\0`);
  if (line.length - 1 > longestVariable)
    throw new Error(
      `${key} is too long for a variable, which has at most ${longestVariable} bytes with its name: mount it as a file.`,
    );
  return line;
};

/**
 * The content of the file with the secret variables of a container.
 * @throws Error if a variable can't be one, or if they are too long together. It names no value
 */
export function encodeSecretVariables(variables: readonly Variable[]): Buffer {
  const content = Buffer.concat(variables.map(encode));
  if (content.length > largestFile)
    throw new Error(
      `The secret variables have ${content.length} bytes together, and at most ${largestFile} are possible: mount some as files.`,
    );
  return content;
}

/**
 * A command line that starts the same program with the secret variables.
 * @param entrypoint what the container starts otherwise, at least without its last arguments
 */
export const withSecretVariables = (entrypoint: readonly string[]): readonly string[] => [
  programPath('entrypoint'),
  secretVariablesPath,
  ...entrypoint,
];

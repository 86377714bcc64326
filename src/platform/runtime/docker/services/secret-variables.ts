import { programPath } from '../programs/programs.ts';

/** The path of the file with a container's secret variables. The engine keeps it in memory only. */
export const secretVariablesPath = '/run/secrets/infra-environment';

/** The largest size of the file, in bytes: engines accept secrets of less than 500 KiB. */
const largestFile = 500 * 1024 - 1;

/** The largest size of a variable with its name, in bytes: the kernel starts no program with a longer one. */
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
 * Encodes the file with the secret variables of a container.
 * @throws Error without any value, if a variable is not possible, or if they are too long together
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
 * Returns a command line that starts the same program with the secret variables.
 * @param entrypoint the container's command without them; its last arguments may be missing
 */
export const withSecretVariables = (entrypoint: readonly string[]): readonly string[] => [
  programPath('entrypoint'),
  secretVariablesPath,
  ...entrypoint,
];

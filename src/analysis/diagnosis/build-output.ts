import type { Reason } from '../../contract/index.ts';
import type { Entry } from '../logs/entries.ts';
import type { DeploymentSituation } from './situation.ts';

// Builder messages for a failed command and the start of a step.
const commandFailed = /did not complete successfully: exit code|returned a non-zero code: \d/;
const stepBegins = /^Step \d+(?:\/\d+)? : |^ ---> Running in |^#\d+ \[/;

/** BuildKit's prefix for the output of a step: its number, and seconds. */
const stepPrefix = /^#(?<step>\d+) (?:\d+\.\d+ )?/;

// Messages of the builder itself within a step.
const ofBuilder =
  /^(?: ---> |Removing intermediate container |#\d+ (?:ERROR|DONE|CACHED|CANCELED|sha256:|exporting|resolve )|-{4,}$)/;

const mostLines = 3;

/**
 * The last lines that the command of a failed step of a build wrote, oldest first, at most three. Builders quote the
 * command, not its output.
 */
export function outputOfFailedCommand({ entries }: DeploymentSituation): readonly Entry[] {
  const end = entries.findIndex(
    ({ searched, condition }) =>
      commandFailed.test(searched) || condition?.reason === ('BUILD_STEP_FAILED' satisfies Reason),
  );
  const step = stepPrefix.exec(entries[end]?.text ?? '')?.groups?.['step'];
  const before = entries
    .slice(0, Math.max(end, 0))
    .filter(({ text }) => step === undefined || text.startsWith(`#${step} `));
  const begin = before.findLastIndex(({ text }) => stepBegins.test(text));
  return before
    .slice(begin + 1)
    .filter(({ text }) => withoutStepPrefix(text).trim() !== '' && !ofBuilder.test(text))
    .slice(-mostLines);
}

/** A line of a build, as the command wrote it. */
export const withoutStepPrefix = (text: string): string => text.replace(stepPrefix, '');

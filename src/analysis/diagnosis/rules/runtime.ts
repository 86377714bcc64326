import { dataOf, isOwnExit, killed, type ReadableCondition } from '../../../contract/index.ts';
import { sign } from '../condition-sign.ts';
import { quote } from '../evidence.ts';
import { showConfiguration, showErrors, showVariables } from '../inspections.ts';
import { deployAgain, deployLastGoodCommit, giveMoreMemory, useLastGoodTag } from '../fixes.ts';
import { orInstead } from '../next-calls.ts';
import { setMissingVariable } from '../variable-fixes.ts';
import type { DeploymentSituation, Facts } from '../situation.ts';
import { buildSteps, cloneSteps, type CauseRule, runSteps, type Weight } from './rule.ts';

const memoryText = ({ configuration: { memory } }: DeploymentSituation): string =>
  memory === undefined ? '' : ` (it has ${memory} MB)`;

const weighVariable = (facts: Facts, { evidence: { variables }, changes }: DeploymentSituation): Weight | undefined => {
  const key = facts['variable'];
  if (key === undefined || variables === undefined) return undefined;
  const isSet = variables.some((variable) => variable.key === key);
  if (!isSet) return { change: 1, why: `no variable ${key} is set` };
  const change = changes.some(({ variable }) => variable === key);
  return {
    change: -1,
    why: `${key} is set${change ? ', and was changed since the last good deployment' : ''}: it may be empty, or in a scope that this version doesn't see yet`,
  };
};

const weighExitCode137 = (
  facts: Facts,
  { configuration: { memory }, entries }: DeploymentSituation,
): Weight | undefined => {
  if (facts['killed'] === undefined) return undefined;
  // If it ran out of memory, the cluster gives that as the reason; a container that fails a probe is also killed with
  // 137.
  const isOther = entries.some(
    ({ searched }) => searched.includes('failed liveness probe') || /^\s*Reason:\s+Error$/.test(searched),
  );
  return isOther
    ? 'dismiss'
    : {
        change: 1,
        why: `exit code 137 means that it was killed${memory === undefined ? '' : `; its limit is ${memory} MB`}`,
      };
};

const wasKilled = ({ code }: { readonly code?: number | undefined }): Facts | undefined =>
  code === killed ? { killed: String(code) } : undefined;

/** The exit code of a program that exited by itself. */
function ownExit({ cause }: { readonly cause: ReadableCondition }): Facts | undefined {
  const code = dataOf(cause, 'EXITED')?.code;
  return code === undefined || !isOwnExit(code) ? undefined : { exit: String(code) };
}

/** Causes that occur while a service's own code runs. */
export const runtimeRules: readonly CauseRule[] = [
  {
    code: 'missing_variable',
    layer: 'cause',
    suspectsSiblings: true,
    steps: [...runSteps, 'BUILD'],
    signs: [
      { pattern: /^KeyError: '(?<variable>[A-Z][A-Z0-9_]{2,})'/ },
      { pattern: /key not found: "(?<variable>[A-Z][A-Z0-9_]{2,})" \(KeyError\)/ },
      {
        pattern:
          /[Ee]nvironment [Vv]ariables? (?:not found: |["'`]?)(?<variable>[A-Z][A-Z0-9_]{2,})["'`]?(?:$|\.$| (?:is|was|must|should|has|not)\b)/,
      },
      {
        pattern:
          /(?:[Mm]issing|[Uu]ndefined|[Uu]nset|[Ii]nvalid)(?: required| mandatory)? (?:environment|env|ENV) ?var(?:iable)?s?[:\s]{1,3}\[?["'`]?(?<variable>[A-Z][A-Z0-9_]{2,})\b/,
      },
      {
        pattern:
          /(?:^|[\s"'`:])(?<variable>[A-Z][A-Z0-9]*_[A-Z0-9_]+)["'`]? (?:(?:environment |env )?var(?:iable)? )?(?:is (?:not set|required|missing|undefined|not defined|unset|empty)|must (?:be (?:set|provided|defined)|not be empty)|(?:was )?not (?:set|provided|defined))/,
      },
      { pattern: /required key (?<variable>[A-Z][A-Z0-9_]{2,}) missing value/ },
      {
        pattern:
          /required (?:environment|env) var(?:iable)? ["'`]?(?<variable>[A-Z][A-Z0-9_]{2,})["'`]? (?:is not set|not set|missing)/,
      },
      { pattern: /Could not resolve placeholder '(?<variable>[\w.-]{2,})' in value/ },
      { pattern: /: (?<variable>[A-Z][A-Z0-9_]{2,}): (?:unbound variable|parameter (?:null or )?not set)/ },
      { pattern: /Set the (?<variable>[A-Z][A-Z0-9_]{2,}) environment variable/ },
      { pattern: /The (?<variable>[A-Z][A-Z0-9_]{2,}) setting must not be empty/ },
      { pattern: /^\s+(?<variable>[A-Z][A-Z0-9_]{2,}): (?:undefined|\[ 'Required' \]|Required|missing)/ },
      { pattern: /Field required \[type=missing/, indirect: true },
    ],
    weigh: weighVariable,
    sentence: (facts) =>
      facts['variable']
        ? `The variable ${facts['variable']} is missing: the app asks for it at start and gives up.`
        : 'A setting that the app requires at start is missing.',
    remedies: [
      [setMissingVariable, deployAgain],
      orInstead(setMissingVariable, deployLastGoodCommit),
      showVariables,
      showErrors,
    ],
  },
  {
    code: 'out_of_memory',
    layer: 'cause',
    steps: [...runSteps, 'BUILD'],
    supersedes: ['readiness_probe_failing'],
    unless: /OOMKilled["']?[:=]\s?false/,
    signs: [
      { pattern: /^\s*Reason:\s+OOMKilled\b/ },
      { pattern: /\breason["']?[=:]\s?["']?OOMKilled\b/ },
      { pattern: /(?:[Tt]erminated|killed|exited|state).*[(\s"']OOMKilled\b/ },
      { pattern: /Memory cgroup out of memory: Kill(?:ed)? process \d+ \((?<process>[\w.-]+)\)/ },
      { pattern: /Out of memory: Kill(?:ed)? process \d+ \((?<process>[\w.-]+)\)/ },
      { pattern: /\bOOMKill(?:ed|ing)\b.*(?:\b137\b|limit)/ },
      { pattern: /JavaScript heap out of memory/ },
      { pattern: /^fatal error: runtime: out of memory/ },
      { pattern: /^MemoryError(?:$|:)/ },
      {
        pattern: /(?:exit(?:ed with)?|terminated with|[Ee]xit) (?:status|code|[Cc]ode):?\s+(?<killed>137)\b/,
        indirect: true,
      },
    ],
    conditions: [
      sign('OUT_OF_MEMORY'),
      sign('EXITED', wasKilled, { indirect: true }),
      sign('BUILD_STEP_FAILED', wasKilled, { indirect: true }),
    ],
    weigh: weighExitCode137,
    sentence: (facts, situation) =>
      `It was killed because it used more memory than it may${memoryText(situation)}${facts['process'] ? `; the process was ${quote(facts['process'])}` : ''}.`,
    remedies: [[giveMoreMemory, deployAgain], useLastGoodTag, deployLastGoodCommit, showConfiguration],
  },
  {
    code: 'jvm_heap',
    layer: 'cause',
    steps: [...runSteps, 'BUILD'],
    supersedes: ['out_of_memory'],
    signs: [
      {
        pattern:
          /java\.lang\.OutOfMemoryError: (?<area>Java heap space|GC overhead limit exceeded|Metaspace|Compressed class space|Direct buffer memory|Requested array size exceeds VM limit|unable to create (?:new )?native thread)/,
      },
    ],
    sentence: (facts, situation) =>
      `The Java virtual machine ran out of memory (${facts['area']})${memoryText(situation)}: its limits (-Xmx, -XX:MaxRAMPercentage) are smaller than what the app needs.`,
    remedies: [[giveMoreMemory, deployAgain], showVariables, showConfiguration],
  },
  {
    code: 'app_crashed',
    layer: 'symptom',
    // A failed command of an image build, even if the platform reports no step: the app itself has not run.
    unless:
      /did not complete successfully|returned a non-zero code|error building (?:image|stage)|failed to (?:solve|build)/,
    kinds: ['application', 'container', 'database', 'job'],
    suspectsSettings: true,
    suspectsSiblings: true,
    steps: runSteps,
    signs: [
      { pattern: /^(?:Uncaught )?(?<exception>[A-Za-z_][\w.$]*(?:Error|Exception)(?: \[\w+\])?(?:: .*)?)$/ },
      { pattern: /^(?<exception>panic: .+)/ },
      { pattern: /^Exception in thread "[^"]+" (?<exception>[\w.$]+(?:: .*)?)/ },
      { pattern: /^(?<exception>thread '[^']+' (?:\(\d+\) )?panicked at .+)/ },
      { pattern: /^(?<exception>.*exec format error)/ },
      {
        pattern:
          /(?<exception>exec(?:: "[^"]+"| \S+):? .*(?:no such file or directory|executable file not found in \$PATH|permission denied))/,
      },
      { pattern: /(?<exception>Segmentation fault(?: \(core dumped\))?)/ },
      { pattern: /^(?<exception>[Cc](?:annot|an't|ould not) (?:open|read|load) .+)/ },
      { pattern: /(?<exception>listen EADDRINUSE: address already in use .+)/ },
      { pattern: /\bCrashLoopBackOff\b/, indirect: true },
      { pattern: /Back-off restarting failed container/, indirect: true },
      {
        pattern:
          /(?:exited with|terminated with|[Ee]xit) (?:exit )?(?:status|code|[Cc]ode):?\s+(?<exit>[1-9]\d{0,2})\b/,
        indirect: true,
      },
    ],
    conditions: [
      sign('PROGRAM_NOT_STARTED', ({ why }) => ({ exception: why })),
      sign('INSTANCES_FAILED', ownExit),
      sign('RUN_FAILED', ownExit),
      sign('EXITED', ({ code }) => (code > 0 ? { exit: String(code) } : undefined), { indirect: true }),
    ],
    // If the failing step is known to be a build step, an exception comes from a command of the build.
    weigh: (_, { failingStep }) =>
      [...buildSteps, ...cloneSteps].some((name) => name === failingStep?.name) ? 'dismiss' : undefined,
    sentence: (
      facts,
      {
        evidence: {
          service: { kind },
        },
      },
    ) => {
      if (facts['exception']) return `The app crashes: ${quote(facts['exception'])}.`;
      const code = facts['exit'] ? ` with exit code ${facts['exit']}` : '';
      return `${kind === 'job' ? `The job ends${code}` : `The app ends by itself${code} and is started again and again`}; no line of its log is known to say why.`;
    },
    remedies: [showErrors, deployLastGoodCommit, [useLastGoodTag, deployAgain], showVariables],
  },
];

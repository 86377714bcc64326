import * as z from 'zod';
import { ConditionShape, count, onNode, plainReason, reasonWith, words, texts } from './reason.ts';

/** The signals whose exit codes show why a program exited. */
const signals: Readonly<Record<number, string>> = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' };

/** Exit codes of shells and container runtimes for a program that could not be started. */
const startFailures: Readonly<Record<number, string>> = {
  126: 'its program can not be executed',
  127: 'a program was not found',
};

/** The exit code of a killed program, such as one that exceeded its memory limit. */
export const killed = 137;

/**
 * Whether a program exited with a code by itself, and neither because of a signal, nor because it could not be started.
 */
export const isOwnExit = (code: number): boolean => signals[code] === undefined && startFailures[code] === undefined;

function exitText(code: number): string {
  if (startFailures[code] !== undefined) return `${startFailures[code]} (exit code ${code})`;
  return signals[code] === undefined
    ? `it ended with exit code ${code}`
    : `it was ended by ${signals[code]} (exit code ${code})`;
}

/**
 * The text that something about an instance can't be known.
 * @param unasked why the engine of its node can't be queried
 */
const unknownText = (what: string, unasked: string | undefined): string =>
  unasked === undefined ? '' : `; ${what} can't be seen, because the engine of its node can't be asked: ${unasked}`;

const likelyMemory = ', probably because it needed more memory than its limit: its engine told no other reason';

/** The meanings of the exit codes of the script that runs Terraform. */
const terraformFailures: Readonly<Record<number, string>> = {
  81: 'Terraform could not initialize its working directory: the log has its own words. Nothing was changed',
  82: 'Terraform could not make the plan: the log has its own words. Nothing was changed',
  83: 'Terraform failed while it applied the plan. What it had done until then is in the state, and the next plan goes on from there',
  84: 'the state of Terraform is locked: the log says by whom, since when, and the ID of the lock. Nothing was changed. Wait for that run to end. If it was killed, whoever runs its backend releases the lock (terraform force-unlock and the ID); that is never done here',
  85: 'this run has begun before, and was not begun again: the log says how far it came. Make a new plan, which shows what is left to do',
  86: 'the plan is not there any more, or is another one. Nothing was changed. Make a new plan',
  87: 'the state that is kept here belongs to another folder of the repository ("root_path"). Nothing was changed. Set "root_path" back; to start again in the other folder, create another service',
  88: 'the repository has a file that Terraform has written too, such as its state; the log names it. Nothing was changed. Remove them from the repository',
  89: 'the plan is older than the state: something else has changed it since. Nothing was changed. Make a new plan',
  90: 'an earlier run of this service has not ended yet. Nothing was changed. Try again when it has',
};

/** Whether this is one of the script's own exit codes for a failure. */
export const isTerraformFailure = (code: number): boolean => Object.hasOwn(terraformFailures, code);

const probeTexts = {
  'not passed': 'has not passed',
  'failing since start': 'fails since the instance started',
  failed: 'failed',
};

const withoutEnd = (sentence: string): string => sentence.replace(/\.$/, '');

/** Why an instance exited, or could not be started, as a part of a sentence. */
export const causeReasons = {
  OUT_OF_MEMORY: plainReason('OOMKilled: it needed more memory than its limit'),
  /**
   * `mayLackMemory` if it was killed and its engine gives no reason: engines miss an out-of-memory event that the
   * kernel reports as the instance exits.
   */
  EXITED: reasonWith(
    { code: count, unasked: words.optional(), mayLackMemory: z.boolean().optional() },
    ({ code, unasked, mayLackMemory }) =>
      `${exitText(code)}${mayLackMemory ? likelyMemory : unknownText('whether it exceeded its memory', unasked)}`,
  ),
  TERRAFORM_STOPPED: reasonWith({ code: count }, ({ code }) => terraformFailures[code] ?? exitText(code)),
  START_FAILED: reasonWith(
    { node: words.optional(), said: words },
    ({ node, said }) => `it could not be started${onNode(node)}: ${said}`,
  ),
  /** `said` is the message of the node's engine; `registrySaid` is the registry's reason, if known. */
  PULL_FAILED: reasonWith(
    { node: words.optional(), said: words, registry: words.optional(), registrySaid: words.optional() },
    ({ node, said, registry, registrySaid }) => {
      const failed = `its image could not be pulled${onNode(node)}: ${said}`;
      if (registry === undefined) return failed;
      if (registrySaid !== undefined) return `${failed}. The registry ${registry} does not give it: ${registrySaid}`;
      return `${failed}. The registry ${registry} has it, so the node does not reach the registry, or has no space left on its disk`;
    },
  ),
  ENGINE_JUST_STARTED: plainReason('the engine had only just been started again, and could not start it yet'),
  ENDED_WITH_ENGINE: plainReason('it ended because the engine did, which has been started again'),
  LOST_WITH_NODE: reasonWith(
    { node: words, since: words },
    ({ node, since }) => `it was lost with the node ${node}, which went down at ${since} or earlier`,
  ),
  UNHEALTHY: reasonWith(
    { unasked: words.optional() },
    ({ unasked }) => `its health check failed${unknownText('what it said', unasked)}`,
  ),
  ENDED_BY_ENGINE: reasonWith({ cause: ConditionShape.optional() }, ({ cause }) =>
    cause === undefined ? 'the engine ended it' : `the engine ended it. ${withoutEnd(cause.message)}`,
  ),
  NOT_JOINED_TO_NETWORK: reasonWith({ links: texts }, ({ links }) => {
    const command =
      links.length === 0
        ? 'restart the host of its node'
        : `run this as root on the host of its node: ${links.map((link) => `ip link delete ${link}`).join(' && ')}`;
    return `the engine could not join it to the network of its environment, where it left a link when it was killed. The platform removes that link; if this goes on, ${command}`;
  }),
  /** Any other message of the engine. */
  ENDED: reasonWith({ state: words, said: words.optional() }, ({ state, said }) => said ?? `it is ${state}`),
};

/** The results of health checks, as sentences. */
export const healthReasons = {
  /** `why` is the probe's report; the other members are parsed from it. */
  PROBE_FAILED: reasonWith(
    {
      probe: z.enum(['readiness', 'liveness']),
      how: z.enum(['failed', 'not passed', 'failing since start']),
      why: words,
      port: count.optional(),
      status: count.optional(),
      isRefused: z.boolean().optional(),
    },
    ({ probe, how, why }) => `The ${probe} probe ${probeTexts[how]}: ${why}.`,
  ),
  /** The program listens on other ports than the probed one. */
  PROBE_AT_WRONG_PORT: reasonWith(
    { instance: words, probe: z.enum(['readiness', 'liveness']), port: count, listening: z.array(count) },
    ({ instance, probe, port, listening }) =>
      `${instance} ${probe === 'readiness' ? 'never became ready' : 'keeps being restarted'}: the ${probe} probe asks at port ${port}, the service listens on ${listening.join(', ')}`,
  ),
  HEALTH_CHECK_FAILED: reasonWith(
    { code: count, said: words },
    ({ code, said }) => `The health check failed with exit code ${code}${said === '' ? '' : `: ${withoutEnd(said)}`}.`,
  ),
  HEALTH_UNKNOWN: reasonWith({ unasked: words.optional() }, ({ unasked }) =>
    unasked === undefined
      ? 'Its health check has said nothing yet.'
      : `What its health check says can't be seen, because the engine of its node can't be asked: ${unasked}.`,
  ),
};

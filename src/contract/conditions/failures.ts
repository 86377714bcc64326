import * as z from 'zod';
import { ConditionShape, count, onNode, plainReason, reasonWith, words, texts } from './reason.ts';

/** The signals whose exit codes tell why a program ended. */
const signals: Readonly<Record<number, string>> = { 134: 'SIGABRT', 137: 'SIGKILL', 139: 'SIGSEGV', 143: 'SIGTERM' };

/** Exit codes by which whatever starts programs says that it couldn't. */
const startFailures: Readonly<Record<number, string>> = {
  126: 'its program can not be executed',
  127: 'a program was not found',
};

/** The exit code of a program that was ended by force, such as one that exceeded its memory. */
export const killed = 137;

/** Whether a program ended with a code by itself, and not by a signal, nor because it could not be started. */
export const isOwnExit = (code: number): boolean => signals[code] === undefined && startFailures[code] === undefined;

function exitText(code: number): string {
  if (startFailures[code] !== undefined) return `${startFailures[code]} (exit code ${code})`;
  return signals[code] === undefined
    ? `it ended with exit code ${code}`
    : `it was ended by ${signals[code]} (exit code ${code})`;
}

/** That something can't be known of an instance. @param unasked why the engine of its node can't be asked */
const unknownText = (what: string, unasked: string | undefined): string =>
  unasked === undefined ? '' : `; ${what} can't be seen, because the engine of its node can't be asked: ${unasked}`;

const likelyMemory = ', probably because it needed more memory than its limit: its engine told no other reason';

/** What the script that runs Terraform means by the codes that it ends with. */
const terraformFailures: Readonly<Record<number, string>> = {
  81: 'Terraform could not initialize its working directory: the log has its own words. Nothing was changed',
  82: 'Terraform could not make the plan: the log has its own words. Nothing was changed',
  83: 'Terraform failed while it applied the plan. What it had done until then is in the state, and the next plan goes on from there',
  84: 'the state of Terraform is locked: the log says by whom, since when, and the ID of the lock. Nothing was changed. Wait for that run to end. If it was killed, whoever runs its backend releases the lock (terraform force-unlock and the ID); that is never done here',
  85: 'this run has begun before, and was not begun again: the log says how far it came. Make a new plan, which shows what is left to do',
  86: 'the plan is not there any more, or is another one. Nothing was changed. Make a new plan',
  87: 'the state that is kept here belongs to another folder of the repository ("root_path"). Nothing was changed. Set "root_path" back; to begin anew in the other folder, create another service',
  88: 'the repository has a file that Terraform has written too, such as its state; the log names it. Nothing was changed. Remove them from the repository',
  89: 'the plan is older than the state: something else has changed it since. Nothing was changed. Make a new plan',
  90: 'an earlier run of this service has not ended yet. Nothing was changed. Try again when it has',
};

/** Whether the script that runs Terraform ends with this code for a reason of its own. */
export const isTerraformFailure = (code: number): boolean => Object.hasOwn(terraformFailures, code);

const probeTexts = {
  'not passed': 'has not passed',
  'failing since start': 'fails since the instance started',
  failed: 'failed',
};

const withoutEnd = (sentence: string): string => sentence.replace(/\.$/, '');

/** Why an instance ended, or could not be started, as a part of a sentence. */
export const causeReasons = {
  OUT_OF_MEMORY: plainReason('OOMKilled: it needed more memory than its limit'),
  /**
   * `mayLackMemory` where it was ended by force, for no reason that its engine tells: engines lose what the kernel
   * tells of memory when it comes at the end.
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
  /** `said` by the engine of the node; `registrySaid` is why its registry does not give it, where that is known. */
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
  /** What else the engine says of it. */
  ENDED: reasonWith({ state: words, said: words.optional() }, ({ state, said }) => said ?? `it is ${state}`),
};

/** What health checks say, as sentences. */
export const healthReasons = {
  /** `why` is what the probe reports; the rest is read from that. */
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
  /** The program listens elsewhere than it is asked. */
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

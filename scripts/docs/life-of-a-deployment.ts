import { serviceKinds } from '../../src/contract/resources/service.ts';
import { DeploymentAction } from '../../src/contract/states.ts';
import { createEngine } from '../../src/platform/engine/create-engine.ts';
import { advanceDeployment, deploymentQueue } from '../../src/platform/engine/deployment-queue.ts';
import { finishService } from '../../src/platform/engine/finish-service.ts';
import { leaseMilliseconds } from '../../src/platform/engine/lease.ts';
import { minimumObservationMilliseconds, canceling, statePathOf, queueing, stageOf } from '../../src/platform/engine/lifecycle.ts';
import type { SecondsRange } from '../../src/platform/runtime/runtime.ts';
import { cancelEnvironmentDeployment, requestDeployment } from '../../src/platform/engine/deployment-requests.ts';
import { retentionQueue } from '../../src/platform/engine/retention-queue.ts';
import { serviceSteps } from '../../src/platform/engine/service-steps.ts';
import { reapIntervalMilliseconds } from '../../src/platform/engine/worker.ts';
import { deliveryQueue, firstRetrySeconds, maximumDeliveryAttempts } from '../../src/platform/engine/webhooks/deliveries.ts';
import { announce } from '../../src/platform/engine/webhooks/outbox.ts';
import { code, markdownTable } from './markdown.ts';

const participants = {
  caller: 'Caller', api: 'API', database: 'Database', engine: 'Engine', runtime: 'Runtime', receiver: 'Webhook receiver',
} as const;
type Participant = keyof typeof participants;

/** What passes between two parties; a dashed arrow is an answer. */
type Message = readonly [from: Participant, to: Participant, text: string, isAnswer?: true];

/** A stage in the life of a deployment. */
export interface LifeStage {
  readonly title: string;
  /** The function that does it, and its file. */
  readonly by: { readonly name: string };
  readonly file: string;
  readonly does: string;
  /** What is on disk once the stage has ended. */
  readonly durable: string;
  /** What a process leaves that is killed within the stage, and what comes of it. */
  readonly killed: string;
  readonly messages: readonly Message[];
}

type StepName = (typeof serviceSteps)[number]['name'];

const span = ([shortest, longest]: SecondsRange): string => `${shortest} to ${longest} s`;
const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
const steps = 'src/platform/engine/service-steps.ts';

/** What there is to say of each of the engine's steps: a step that is missing here doesn't compile. */
const stepDescriptions: Readonly<Record<StepName, Omit<LifeStage, 'by' | 'file'>>> = {
  'enter first phase': {
    title: 'Take the configuration',
    does: `Once the service has been queued for ${span(queueing)}, or the stage before has ended well, it enters its first phase. The configuration of this moment is what is deployed.`,
    durable: 'The configuration, copied into the deployment; the state of the first phase.',
    killed: 'The service still queued. It takes the configuration of the moment in which it goes on.',
    messages: [['engine', 'database', 'configuration copied, first phase']],
  },
  observe: {
    title: 'Work and observe, phase by phase',
    does: `Outside of any transaction. The runtime is told to begin the phase, and is then observed until the phase has ended. It says when to look again; at least ${minimumObservationMilliseconds} ms pass between two observations.`,
    durable: 'With each observation, in one transaction over the revision that was read: cursor, log lines, commit; at the end of a phase its step and the next state.',
    killed: 'The phase, at its last cursor. The runtime is given the same task again and goes on; no log line is lost or doubled.',
    messages: [
      ['engine', 'runtime', 'begin the phase, once'], ['engine', 'runtime', 'observe, from the cursor on'],
      ['runtime', 'engine', 'ongoing (with when to look again), succeeded or failed', true], ['engine', 'database', 'cursor, lines, step, state'],
    ],
  },
  'end canceled': {
    title: 'End a canceled service',
    does: `${span(canceling.takes)} after a cancel the runtime is told to drop what the phase began, and the service is ${canceling.end}. What ran before runs on.`,
    durable: `${canceling.end}, with its step and the reason in the log.`,
    killed: 'The service still CANCELING. The runtime is told once more to drop the task.',
    messages: [],
  },
};

const stepStage = (name: StepName): LifeStage => ({ by: { name: 'serviceSteps' }, file: steps, ...stepDescriptions[name] });

/** Every stage, from the request to the webhook and what comes after. */
export const lifeStages: readonly LifeStage[] = [
  {
    title: 'Accept the request', by: requestDeployment, file: 'src/platform/engine/deployment-requests.ts',
    does: 'Checks the lock of the cluster and the state of each service, and makes the deployment: queued behind what the environment has under way.',
    durable: 'Before the caller is answered, in the transaction of the request: the deployment, its services, their states and events.',
    killed: 'Nothing, or the whole order. A caller that got no answer finds out from the status; sending it again would be a second order.',
    messages: [['caller', 'api', 'deploy'], ['api', 'database', 'deployment, services, events, deliveries'], ['api', 'engine', 'wake up'], ['api', 'caller', 'accepted', true]],
  },
  {
    title: 'Put webhooks into the outbox', by: announce, file: 'src/platform/engine/webhooks/outbox.ts',
    does: 'For each event that a webhook asks for, one delivery, with an id that follows from the deployment, the event and the webhook. Part of every transaction that changes a state.',
    durable: 'The delivery with its body, together with the state it tells of.',
    killed: 'Neither the state nor the delivery, or both.',
    messages: [],
  },
  {
    title: 'Claim', by: deploymentQueue, file: 'src/platform/engine/deployment-queue.ts',
    does: 'A worker of the engine claims the deployments that are due, and holds them under a lease that it renews.',
    durable: `The id of the worker in the deployment, and its lease of ${seconds(leaseMilliseconds)}.`,
    killed: `The claim of a dead worker. Others free it when they see that its process has ended, or, from another host, when its lease has run out. They look when they start, then every ${seconds(reapIntervalMilliseconds.inCompany)}, or every ${seconds(reapIntervalMilliseconds.alone)} where no other worker is known.`,
    messages: [['engine', 'database', 'claim what is due']],
  },
  {
    title: 'Begin', by: advanceDeployment, file: 'src/platform/engine/deployment-queue.ts',
    does: 'The deployment at the head of its environment\'s queue begins: the services of the first stage stay queued for a moment, the others wait.',
    durable: 'ONGOING for the deployment, WAITING_* for the services of later stages.',
    killed: 'The deployment still queued, at the head.',
    messages: [['engine', 'database', 'ONGOING, first stage queued, others waiting']],
  },
  stepStage('enter first phase'),
  stepStage('observe'),
  {
    title: 'End a service, then the deployment', by: finishService, file: 'src/platform/engine/finish-service.ts',
    does: 'After the last phase, or the first that failed. The last service of a stage starts the next stage; after a failure the stages that have not begun are canceled. The last service of all ends the deployment, and the next one in the queue has its turn.',
    durable: 'All of it in the transaction of the last observation: the state, what runs now (after a good end only), the delivery, the next runs of a job, the turn of the next deployment.',
    killed: 'The last phase, as before: it is observed once more, and ends the same way.',
    messages: [['engine', 'database', 'end state, what runs, deliveries, next turn']],
  },
  {
    title: 'Cancel, if somebody asks', by: cancelEnvironmentDeployment, file: 'src/platform/engine/deployment-requests.ts',
    does: `Every service that has not ended is ${canceling.state}. An observation that is under way meanwhile was made over an older revision, and is dropped.`,
    durable: 'Before the caller is answered.',
    killed: 'Nothing, or the whole cancel.',
    messages: [],
  },
  stepStage('end canceled'),
  {
    title: 'Deliver webhooks', by: deliveryQueue, file: 'src/platform/engine/webhooks/deliveries.ts',
    does: `Claims what is due for a webhook, posts it outside of any transaction, and records the attempt. Up to ${maximumDeliveryAttempts} attempts, ${firstRetrySeconds} s apart at first, doubled each time. One at a time for a service of a deployment, in order.`,
    durable: 'The claim; then the attempt with its answer, and when the next one is due.',
    killed: 'Before the record: the delivery is posted again, with the same id. So at least once: a receiver tells repetitions by the id.',
    messages: [['engine', 'database', 'claim deliveries'], ['engine', 'receiver', 'POST, with the id of the delivery'], ['receiver', 'engine', 'status', true], ['engine', 'database', 'attempt recorded']],
  },
  {
    title: 'Remove old deployments', by: retentionQueue, file: 'src/platform/engine/retention-queue.ts',
    does: 'Removes the oldest deployments with everything that belongs to them. What a service shows as its latest stays, and so does what a webhook has not been told of yet.',
    durable: 'A batch at a time, each in one transaction.',
    killed: 'The whole batch. It is removed the next time.',
    messages: [],
  },
];

const arrow = ([from, to, text, isAnswer]: Message): string => `  ${from}${isAnswer ? '-->>' : '->>'}${to}: ${text}`;

/** The messages of all stages as a Mermaid sequence diagram. */
const sequence = (): string =>
  [
    'sequenceDiagram',
    ...Object.entries(participants).map(([id, name]) => `  participant ${id} as ${name}`),
    ...lifeStages.flatMap(({ title, messages }) => {
      const arrows = messages.map(arrow);
      if (title === stepDescriptions.observe.title) return ['  loop until the last phase has ended', ...arrows.map((line) => `  ${line}`), '  end'];
      return arrows;
    }),
  ].join('\n');

/** The states of a deploy of an application as a Mermaid flowchart. */
const states = (): string => {
  const { queued, waiting, phases, end } = statePathOf('application', 'DEPLOY');
  const phase = (index: number): string => (phases[index] ? `p${index}` : 'ended');
  return [
    'flowchart LR',
    `  queued[${queued}] --> waiting[${waiting}] --> p0`,
    '  queued --> p0',
    ...phases.flatMap(({ state, step, takes, onFailure }, index) => [`  p${index}["${state}<br/>${step}, ${span(takes)}"] --> ${phase(index + 1)}`, `  p${index} -. failed .-> ${onFailure}`]),
    `  ended[${end}]`,
  ].join('\n');
};

const kindsByStage = (action: DeploymentAction): string => {
  const groups = Map.groupBy(serviceKinds, (kind) => stageOf(kind, action).position);
  return [...groups].toSorted(([one], [other]) => one - other).map(([, kinds]) => kinds.join(', ')).join(' → ');
};

const stageRow = ({ title, by, file, does, durable, killed }: LifeStage): string[] => [title, `${code(by.name)}, ${code(file)}`, does, durable, killed];

/** docs/life-of-a-deployment.md: from the request to the webhook, from what the engine runs on. */
export const lifeOfADeploymentPage = (): string =>
  `${[
    '# The life of a deployment',
    `From the request to the webhook, on the embedded platform. Everything that is to be done is a row with the moment at which it is due. The engine (${code(createEngine.name)}, ${code('src/platform/engine/create-engine.ts')}) looks for what is due, asks outside of any transaction, and writes what came of it in one short transaction. So a process can be killed at any moment: the next one reads the rows and goes on.`,
    `\`\`\`mermaid\n${sequence()}\n\`\`\``,
    '## Stage by stage',
    'A kill is a `kill -9` of the process, or a power cut: what was committed stays, what was not never was.',
    markdownTable(['Stage', 'Who', 'What', 'Durable by then', 'A kill there leaves'], lifeStages.map(stageRow)),
    '## The states on the way',
    'Of an application that is deployed, from `src/platform/engine/lifecycle.ts`. [States](states.md) has every kind and action, and every transition.',
    `\`\`\`mermaid\n${states()}\n\`\`\``,
    'Services of one deployment go in stages; one begins when the one before has ended well:',
    markdownTable(['Action', 'Stages'], DeploymentAction.options.map((action) => [action, kindsByStage(action)])),
    '## Tests',
    '`test/platform/engine/crash.test.ts` and `test/slow/engine-crash.test.ts` kill workers at random moments and check that nothing is lost, doubled or stuck. `test/platform/engine/model.test.ts` compares random sequences of orders, cancels and restarts with the table of states. `test/platform/api/slow-runtime.test.ts` holds that nobody waits for a slow runtime.',
  ].join('\n\n')}\n`;

import { DeploymentAction, serviceKinds } from '../../src/contract/index.ts';
import {
  advanceDeployment,
  createEngine,
  deploymentQueue,
  finishService,
  leaseMilliseconds,
  minimumObservationMilliseconds,
  canceling,
  statePathOf,
  stageOf,
  cancelEnvironmentDeployment,
  requestDeployment,
  retentionQueue,
  serviceSteps,
  reapIntervalMilliseconds,
  deliveryQueue,
  firstRetrySeconds,
  maximumDeliveryAttempts,
  announce,
} from '../../src/platform/engine/index.ts';
import type { SecondsRange } from '../../src/platform/common/index.ts';
import { simulatedDuration, simulatedPauses } from '../../src/platform/runtime/simulated/index.ts';
import { code, markdownTable } from './markdown.ts';

const participants = {
  caller: 'Caller',
  api: 'API',
  database: 'Database',
  engine: 'Engine',
  runtime: 'Runtime',
  receiver: 'Webhook receiver',
} as const;
type Participant = keyof typeof participants;

/** A message of the sequence diagram. Answers get a dashed arrow. */
type Message = readonly [from: Participant, to: Participant, text: string, isAnswer?: true];

/** A stage in the life of a deployment. */
export interface LifeStage {
  readonly title: string;
  /** The function that carries it out. `file` is where it is defined. */
  readonly by: { readonly name: string };
  readonly file: string;
  readonly does: string;
  /** What is on disk when the stage has ended. */
  readonly durable: string;
  /** What remains if the process is killed during the stage, and how it is recovered. */
  readonly killed: string;
  readonly messages: readonly Message[];
}

type StepName = (typeof serviceSteps)[number]['name'];

const span = ([shortest, longest]: SecondsRange): string => `${shortest} to ${longest} s`;
const seconds = (milliseconds: number): string => `${milliseconds / 1000} s`;
const steps = 'src/platform/engine/service-steps.ts';

/** The description of each of the engine's steps. The type requires one for every step. */
const stepDescriptions: Readonly<Record<StepName, Omit<LifeStage, 'by' | 'file'>>> = {
  'enter first phase': {
    title: 'Take the configuration',
    does: `A service enters its first phase after it was queued for ${span(simulatedPauses.queueing)}, or when the previous stage has succeeded. The configuration at that moment is deployed.`,
    durable: 'The configuration, copied to the deployment; the state of the first phase.',
    killed: 'The service is still queued. It takes the configuration at the moment it continues.',
    messages: [['engine', 'database', 'configuration copied, first phase']],
  },
  observe: {
    title: 'Run and observe each phase',
    does: `Outside any transaction. The engine tells the runtime to begin the phase, then observes it until the phase has ended. The runtime says when to observe next; at least ${minimumObservationMilliseconds} ms pass between two observations.`,
    durable:
      'With each observation, in one transaction that checks the revision it was based on: cursor, log lines, commit; at the end of a phase also its step and the next state.',
    killed:
      'The phase, at its last cursor. The runtime receives the same task again and continues; no log line is lost or duplicated.',
    messages: [
      ['engine', 'runtime', 'begin the phase'],
      ['engine', 'runtime', 'observe, from the cursor'],
      ['runtime', 'engine', 'ongoing (with the time of the next observation), succeeded or failed', true],
      ['engine', 'database', 'cursor, lines, step, state'],
    ],
  },
  'end canceled': {
    title: 'End a canceled service',
    does: `${span(simulatedPauses.canceling)} after a cancel, the engine tells the runtime to undo the phase, and the service becomes ${canceling.end}. The previous version keeps running.`,
    durable: `${canceling.end}, with its step and the reason in the log.`,
    killed: 'The service is still CANCELING. The runtime is told again to undo the phase.',
    messages: [],
  },
};

const stepStage = (name: StepName): LifeStage => ({
  by: { name: 'serviceSteps' },
  file: steps,
  ...stepDescriptions[name],
});

/** Every stage, from the request to the webhooks and the cleanup. */
export const lifeStages: readonly LifeStage[] = [
  {
    title: 'Accept the request',
    by: requestDeployment,
    file: 'src/platform/engine/deployment-requests.ts',
    does: "Checks the cluster's lock and the state of each service, and creates the deployment. It queues behind the environment's other deployments.",
    durable:
      'Before the caller gets an answer, in the transaction of the request: the deployment, its services, their states and events.',
    killed:
      'Nothing, or the whole deployment. A caller that got no answer finds out from the status; sending the request again would create a second deployment.',
    messages: [
      ['caller', 'api', 'deploy'],
      ['api', 'database', 'deployment, services, events, deliveries'],
      ['api', 'engine', 'wake up'],
      ['api', 'caller', 'accepted', true],
    ],
  },
  {
    title: 'Add webhooks to the outbox',
    by: announce,
    file: 'src/platform/engine/webhooks/outbox.ts',
    does: 'Adds a delivery for each event that a webhook subscribes to. Its id is derived from the deployment, the event and the webhook. Part of the transaction that changes the state. Events exist for the start, success and failure of deployments and restarts, but not of scheduled runs, stops or deletions.',
    durable: 'The delivery with its body, together with the state that it reports.',
    killed: 'Neither the state nor the delivery, or both.',
    messages: [],
  },
  {
    title: 'Claim',
    by: deploymentQueue,
    file: 'src/platform/engine/deployment-queue.ts',
    does: 'A worker of the engine claims the deployments that are due, and holds them under a lease that it renews.',
    durable: `The worker's id in the deployment, and its lease of ${seconds(leaseMilliseconds)}.`,
    killed: `The claim of a dead worker. Other workers release it when its lease has expired, or earlier if they run on the same host and see that its process has ended. They check when they start, then every ${seconds(reapIntervalMilliseconds.inCompany)}, or every ${seconds(reapIntervalMilliseconds.alone)} if no other worker is known.`,
    messages: [['engine', 'database', 'claim what is due']],
  },
  {
    title: 'Begin',
    by: advanceDeployment,
    file: 'src/platform/engine/deployment-queue.ts',
    does: "The deployment at the head of its environment's queue begins: the services of the first stage stay queued for a moment, the others wait.",
    durable: 'ONGOING for the deployment, WAITING_* for the services of later stages.',
    killed: 'The deployment is still queued, at the head.',
    messages: [['engine', 'database', 'ONGOING, first stage queued, others waiting']],
  },
  stepStage('enter first phase'),
  stepStage('observe'),
  {
    title: 'End a service, then the deployment',
    by: finishService,
    file: 'src/platform/engine/finish-service.ts',
    does: 'After the last phase, or the first one that failed. The last service of a stage starts the next stage; after a failure, the stages that have not begun are canceled. The last service of the deployment ends it, and the next deployment in the queue can begin.',
    durable:
      'In the transaction of the last observation: the end state, the running version (after a successful deployment that was not a scheduled run), the webhook delivery, the next run of a job, the start of the next deployment.',
    killed: 'The last phase, unchanged: it is observed again, and ends the same way.',
    messages: [['engine', 'database', 'end state, running version, deliveries, next in the queue']],
  },
  {
    title: 'Cancel, on request',
    by: cancelEnvironmentDeployment,
    file: 'src/platform/engine/deployment-requests.ts',
    does: `Every service that has not ended becomes ${canceling.state}. An observation under way is based on an older revision, so it is discarded.`,
    durable: 'Before the caller gets an answer.',
    killed: 'Nothing, or the whole cancel.',
    messages: [],
  },
  stepStage('end canceled'),
  {
    title: 'Deliver webhooks',
    by: deliveryQueue,
    file: 'src/platform/engine/webhooks/deliveries.ts',
    does: `Claims a webhook's due deliveries, posts them outside any transaction, and records each attempt. Up to ${maximumDeliveryAttempts} attempts, the first two ${firstRetrySeconds} s apart, with the interval doubling each time. Deliveries for one service of a deployment are sent one at a time, in order.`,
    durable: 'The claim; then the attempt with its response, and when the next one is due.',
    killed:
      'If killed before the attempt is recorded, the delivery is posted again with the same id. So delivery is at least once: receivers recognise duplicates by the id.',
    messages: [
      ['engine', 'database', 'claim deliveries'],
      ['engine', 'receiver', 'POST, with the id of the delivery'],
      ['receiver', 'engine', 'status', true],
      ['engine', 'database', 'attempt recorded'],
    ],
  },
  {
    title: 'Remove old deployments',
    by: retentionQueue,
    file: 'src/platform/engine/retention-queue.ts',
    does: 'Removes the oldest deployments with everything that belongs to them. The latest deployment of each service stays, and so do deployments with pending webhook deliveries.',
    durable: 'One batch per transaction.',
    killed: 'The whole batch. It is removed next time.',
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
      if (title === stepDescriptions.observe.title)
        return ['  loop until the last phase has ended', ...arrows.map((line) => `  ${line}`), '  end'];
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
    ...phases.flatMap(({ state, step, onFailure }, index) => [
      `  p${index}["${state}<br/>${step}, ${span(simulatedDuration('application', step))}"] --> ${phase(index + 1)}`,
      `  p${index} -. failed .-> ${onFailure}`,
    ]),
    `  ended[${end}]`,
  ].join('\n');
};

const kindsByStage = (action: DeploymentAction): string => {
  const groups = Map.groupBy(serviceKinds, (kind) => stageOf(kind, action).position);
  return [...groups]
    .toSorted(([one], [other]) => one - other)
    .map(([, kinds]) => kinds.join(', '))
    .join(' → ');
};

const stageRow = ({ title, by, file, does, durable, killed }: LifeStage): string[] => [
  title,
  `${code(by.name)}, ${code(file)}`,
  does,
  durable,
  killed,
];

/** docs/life-of-a-deployment.md, generated from the engine's own code. */
export const lifeOfADeploymentPage = (): string =>
  `${[
    '# The life of a deployment',
    `For developers: from the request to the webhook, on the embedded platform. Every pending task is a row with the time at which it is due. The engine (${code(createEngine.name)}, ${code('src/platform/engine/create-engine.ts')}) finds the rows that are due, calls the runtime or the receiver outside any transaction, and writes the result in one short transaction. So the process can be killed at any moment: the next one reads the rows and continues.`,
    `\`\`\`mermaid\n${sequence()}\n\`\`\``,
    '## Stage by stage',
    'A kill is a `kill -9` of the process, or a power cut: what was committed stays, everything else is lost.',
    markdownTable(['Stage', 'Code', 'What it does', 'Durable afterwards', 'After a kill'], lifeStages.map(stageRow)),
    '## The states of a deployment',
    'The states of an application during a deployment, from `src/platform/engine/lifecycle.ts`. [States](states.md) lists every kind, action and transition.',
    `\`\`\`mermaid\n${states()}\n\`\`\``,
    'The services of a deployment run in stages. A stage begins when the previous one has succeeded:',
    markdownTable(
      ['Action', 'Stages'],
      DeploymentAction.options.map((action) => [action, kindsByStage(action)]),
    ),
    '## Tests',
    '`test/platform/engine/crash.test.ts` and `test/slow/engine-crash.test.ts` kill workers at random moments and check that nothing is lost, doubled or stuck. `test/platform/engine/model.test.ts` compares random sequences of requests, cancels and restarts with the table of states. `test/platform/api/slow-runtime.test.ts` checks that a slow runtime blocks no request.',
  ].join('\n\n')}\n`;

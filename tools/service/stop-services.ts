import { isDown, isServiceKind, operations, serviceKinds } from '../../src/contract/index.ts';
import {
  chosenServices,
  composeTool,
  lostAndKept,
  terraformStays,
  type JsonRecord,
  type PlannedOperation,
} from '../../src/server/tool/index.ts';
import {
  byEnvironment,
  serviceCandidates,
  neededChoice,
  isUnderWay,
  readsOfChoice,
  serviceChoice,
  type Candidate,
} from '../shared/service-choice.ts';
import {
  severalAnswer,
  severalNext,
  severalOutput,
  severalRender,
  whyNoneChanged,
  type SeveralWords,
} from '../shared/several-services.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

/** Why a service is not stopped; undefined if it is. */
function reasonAgainst(candidate: Candidate): string | undefined {
  const { kind, state } = candidate;
  if (kind === 'terraform') return terraformStays;
  if (!isServiceKind(kind)) return `${kind} services can not be stopped here`;
  if (state !== undefined && isDown(state)) return state === 'READY' ? 'never deployed' : 'already stopped';
  return isUnderWay(candidate) ? 'a deployment of it is under way' : undefined;
}

const inputFor = (services: readonly Candidate[]): JsonRecord => {
  const ids = (kind: string): readonly string[] => services.filter((one) => one.kind === kind).map(({ id }) => id);
  return {
    environment_id: services[0]!.environment.id,
    ...Object.fromEntries(
      serviceKinds.map((kind) => [`${kind}_ids`, ids(kind)]).filter(([, list]) => list!.length > 0),
    ),
  };
};

const words: SeveralWords = {
  accepted: 'stopping',
  done: 'stopped',
  can: 'stopped',
  goodStates: ['STOPPED'],
  kinds: serviceKinds,
};

export const stopServices = composeTool({
  name: 'stop_services',
  toolset: 'services',
  title: 'Stop a service, turn off',
  description:
    'Stop, switch off, shut down, pause or take offline a service (app, API, worker) or many, also across ' +
    'environments (everything except production). Leaves out deploying ones.',
  input: { ...serviceChoice, ...waitForEnd },
  ...neededChoice,
  spansEnvironments: true,
  operations: [operations.stop_services],
  expand: async (args, context): Promise<readonly PlannedOperation[]> =>
    byEnvironment((await serviceCandidates(args, context)).filter((one) => reasonAgainst(one) === undefined)).map(
      (services) => ({
        operation: operations.stop_services,
        input: inputFor(services),
        about: services[0]!.environment.path,
      }),
    ),
  plan: () => [lostAndKept],
  preview: chosenServices('Stops', undefined, { stops: true }),
  reads: readsOfChoice,
  output: severalOutput,
  answer: (args, context) => severalAnswer(args, context, { words, reasonAgainst }),
  render: severalRender,
  whyNothing: whyNoneChanged(words),
  next: severalNext(words.accepted, 'STOP'),
});

import * as z from 'zod';
import { joinPath, namesIn, operations, reference, serviceKinds } from '../../src/contract/index.ts';
import {
  anyService,
  chosenServices,
  composeTool,
  environmentDeployment,
  idsInLists,
  jobEffectSeen,
  reading,
  serviceDeployment,
  terraformChanges,
  type Preview,
  type ToolContext,
} from '../../src/server/tool/index.ts';
import {
  deployOperation,
  idOf,
  oneOf,
  readsByKind,
  serviceSubject,
  subjectAt,
  type Subject,
} from '../shared/any-service.ts';
import { readsOfCommits } from '../shared/branch-commits.ts';
import { afterwards, readsAfterwards, startedAnswer } from '../shared/deployment-started.ts';
import { isSentOneByOne, tellIfOneByOne } from '../shared/one-by-one.ts';
import { takenAlong } from '../shared/pending-changes.ts';
import { joined } from '../shared/plan-parts.ts';
import { environmentIdOf } from '../shared/service-choice.ts';
import { versionNote } from '../shared/version-note.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';
import { servicesAtVersions } from './services-at-versions.ts';

const kinds = [
  ...serviceKinds.map(deployOperation),
  operations.deploy_environment,
  operations.deploy_services,
] as const;

const several = chosenServices(
  'Deploys',
  (service, asked, reader) => versionNote(service, asked, reader, (job) => jobEffectSeen(job, reader)),
  { replaces: true },
);

const versions: Preview = reading(
  (planned) => [serviceDeployment, environmentDeployment, several].flatMap(({ reads }) => reads?.(planned) ?? []),
  async (args, context) => {
    if (Object.values(args).some(Array.isArray))
      return [
        ...(await several(args, context)),
        ...(await terraformChanges(idsInLists({ terraforms: args['terraforms'] }), context.reader)),
      ];
    return context.target.kind === 'environment'
      ? environmentDeployment(args, context)
      : serviceDeployment(args, context);
  },
);

const preview = joined(versions, takenAlong);

/** The environment of the services that were deployed. */
async function environmentSubject(context: ToolContext): Promise<Subject> {
  const service = context.resolved['services[0].service']!;
  const id = await environmentIdOf(service, context);
  return {
    kind: 'environment',
    id,
    name: service.environment?.name,
    path: service.path && joinPath(namesIn(service.path).slice(0, -1)),
    environmentId: id,
  };
}

const alone = oneOf('service', 'environment');

export const deployService = composeTool({
  name: 'deploy_service',
  toolset: 'services',
  title: 'Deploy, redeploy, run or execute a service, container, job',
  description:
    'Deploy, redeploy, start, trigger or run now: a service (app, API, container, job, Helm release), several ' +
    'at versions (image tags), or a whole environment, everything again. Applications take newest commits.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    services: z
      .array(
        z.object({
          service: anyService(),
          version: z.string().trim().min(1).max(128).optional().describe('Commit, tag or chart version.'),
        }),
      )
      .optional()
      .describe('{service, version: commit, tag, chart}'),
    ...waitForEnd,
  },
  folded: ['services[]'],
  needsOneOf: ['service', 'environment', 'services'],
  rules: ({ services, ...others }) => {
    if (services === undefined) return alone(others);
    return [
      ...(services.length === 0 ? ['"services" names none'] : []),
      ...(others.service === undefined ? [] : ['"service" goes without "services"; give it among them']),
    ];
  },
  operations: kinds as unknown as readonly [(typeof kinds)[number], ...(typeof kinds)[number][]],
  expand: async ({ services, environment }, context) => {
    if (services !== undefined) return [await servicesAtVersions({ services, environment }, context)];
    const subject = serviceSubject(context);
    return [{ operation: deployOperation(subject.kind), input: idOf(subject) }];
  },
  preview,
  reads: [...readsAfterwards, ...readsOfCommits, ...readsByKind('configuration', 'what its version is')],
  output: startedAnswer.answer,
  answer: async (args, context, [answer = {}]) => {
    if (args.services === undefined)
      return afterwards(context, serviceSubject(context), { action: 'DEPLOY', answer, wait: args.wait });
    tellIfOneByOne(context);
    // If sent one at a time, each response is about one service's deployment, and none about the environment.
    const whole = isSentOneByOne(context.sent) ? {} : answer;
    const services = args.services.flatMap((_, index) => subjectAt(context, `services[${index}].service`) ?? []);
    return afterwards(context, await environmentSubject(context), {
      action: 'DEPLOY',
      answer: whole,
      wait: args.wait,
      services,
    });
  },
  render: startedAnswer.render,
  next: startedAnswer.next,
});

import { operations, reference, serviceKinds } from '../../src/contract/index.ts';
import { anyService, composeTool, effectLines, deployment, environmentDeployment, naming, reading, type Preview } from '../../src/server/tool/index.ts';
import { deployOperation, idOf, oneOf, serviceSubject } from '../shared/any-service.ts';
import { afterwards, readsAfterwards, startedAnswer } from '../shared/deployment-started.ts';
import { waitForEnd } from '../shared/wait-for-end.ts';

const kinds = [...serviceKinds.map(deployOperation), operations.deploy_environment] as const;

const preview: Preview = reading(
  (planned) => [deployment, environmentDeployment].flatMap(({ reads }) => reads?.(planned) ?? []),
  async (args, context) => (context.target.kind === 'environment' ? environmentDeployment(args, context) : [...effectLines(context.target.kind), ...(await deployment(args, context))]),
);

export const deployService = composeTool({
  name: 'deploy_service',
  toolset: 'services',
  description: [
    'Deploy, redeploy or run now: a service of any kind, or a whole environment (everything, all services in it), as configured. Applications ' +
      'take their newest commits, jobs are run, Terraform plans and applies.',
    naming`For a given commit use ${'deploy_application'}.`,
  ],
  input: { service: anyService().optional(), environment: reference('environment').optional(), ...waitForEnd },
  rules: oneOf('service', 'environment'),
  operations: kinds as unknown as readonly [(typeof kinds)[number], ...(typeof kinds)[number][]],
  expand: async (_, context) => {
    const subject = serviceSubject(context);
    return [{ operation: deployOperation(subject.kind), input: idOf(subject) }];
  },
  preview,
  reads: readsAfterwards,
  output: startedAnswer.answer,
  answer: (args, context, [answer = {}]) => afterwards(context, serviceSubject(context), { action: 'DEPLOY', answer, wait: args.wait }),
  render: startedAnswer.render,
  next: startedAnswer.next,
});

import * as z from 'zod';
import { operations, reference, type ServiceKind } from '../../src/contract/index.ts';
import { anyService, composeTool, isRecord, naming, type JsonRecord, type NextCall, type ToolContext } from '../../src/server/tool/index.ts';
import { oneOf, readsOf, serviceSubject, type Subject } from '../shared/any-service.ts';
import { diagnosisAnswer, diagnosisView } from '../shared/diagnosis-text.ts';
import { gather, readsOfDiagnosis, observedServices, type ObservedService } from '../shared/diagnosis-evidence.ts';

const hasFailed = ({ status }: ObservedService): boolean => status?.state?.endsWith('ERROR') ?? false;

const latestFirst = (one: ObservedService, other: ObservedService): number => (other.status?.last_deployment_date ?? '').localeCompare(one.status?.last_deployment_date ?? '');

/** The service of an environment to diagnose: the one whose deployment failed last. */
async function failedIn(context: ToolContext, environment: Subject): Promise<{ subject?: Subject & { kind: ServiceKind }; others: readonly ObservedService[] }> {
  const services = (await observedServices(context, environment.id)) ?? context.refuse('this platform does not show the services of an environment', 'Name the service.');
  const [first, ...others] = services.filter(hasFailed).toSorted(latestFirst);
  return { subject: first && { kind: first.kind, id: first.id, name: first.name, environmentId: environment.id, projectId: environment.projectId }, others };
}

const isService = (subject: Subject): subject is Subject & { kind: ServiceKind } => subject.kind !== 'environment';

/** Diagnoses a deployment of a service, by default the latest, as an answer. */
export async function diagnosed(context: ToolContext, subject: Subject & { kind: ServiceKind }, deployment?: string): Promise<JsonRecord> {
  const evidence = await gather(context, subject, deployment);
  const { diagnose } = await import('../../src/analysis/diagnosis/diagnose.ts');
  return diagnosisAnswer(subject.path ?? evidence.service.name, evidence, diagnose(evidence));
}

/** The calls that a diagnosis proposes. */
export const proposed = (view: JsonRecord): readonly NextCall[] =>
  Array.isArray(view['next']) ? view['next'].filter(isRecord).map((call) => call as unknown as NextCall) : [];

/** Diagnoses the service of an environment that failed last, and lists the others in a failed state; undefined if none failed. */
export async function diagnosedIn(context: ToolContext, environment: Subject, deployment?: string): Promise<JsonRecord | undefined> {
  const { subject, others } = await failedIn(context, environment);
  if (!subject) return undefined;
  const answer = await diagnosed(context, subject, deployment);
  return others.length === 0 ? answer : { ...answer, failed_too: others.map(({ kind, name, id, status }) => ({ kind, name, id, state: status?.state })) };
}

export const diagnoseDeployment = composeTool({
  name: 'diagnose_deployment',
  toolset: 'services',
  description:
    'Why did my deploy fail? Names the cause of a failed or crashing deployment, with the log lines that show it, what changed since the last ' +
    'good one, and the calls that fix it. Ask this before reading logs. Of an environment it takes the service that failed last.',
  input: {
    service: anyService().optional(),
    environment: reference('environment').optional(),
    deployment_id: z.string().optional().describe('Default: the latest that failed.'),
  },
  rules: oneOf('service', 'environment'),
  operations: [...readsOf('deployments', 'logs', 'status'), operations.list_services, operations.get_environment_status, operations.get_environment_logs],
  reads: readsOfDiagnosis,
  output: z.object({ subject: z.string(), outcome: z.string(), cause: z.object({}), lines: z.array(z.string()), changes: z.array(z.string()), next: z.array(z.object({})) }),
  answer: async ({ deployment_id }, context) => {
    const subject = serviceSubject(context);
    if (isService(subject)) {
      const answer = await diagnosed(context, subject, deployment_id);
      if (deployment_id === undefined || answer['outcome'] !== 'never_deployed') return answer;
      return context.refuse('its history shows no deployment of that id', naming`${'list_deployments'} shows which there are; without deployment_id it is the latest that failed.`);
    }
    return (await diagnosedIn(context, subject, deployment_id)) ?? { subject: subject.path ?? subject.name ?? subject.id, outcome: 'nothing failed', cause: { code: 'none', sentence: 'No service of this environment is in a failed state.' } };
  },
  render: {
    ...diagnosisView,
    text: (view) => [diagnosisView.text(view), ...(Array.isArray(view['failed_too']) ? [`Failed too: ${JSON.stringify(view['failed_too'])}`] : [])].join('\n'),
  },
  next: proposed,
});

import { isServiceKind, operations } from '../../../contract/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { readById, servicesIn } from '../../context/index.ts';
import { versionOf } from './deployment.ts';
import { jobEffect } from './job-run.ts';
import { reading, readUses } from '../reads.ts';
import { showName, textOf, notKnown, type PlanLine, type Preview } from './preview.ts';

/** Side effects of deploying a service, in words without a subject; undefined for kinds without side effects. */
const effectOf = (kind: string, service: JsonRecord): string | undefined => (kind === 'terraform' ? 'plan and apply' : kind === 'job' ? jobEffect(service) : undefined);

/** The same as sentences about the target. */
export const deploymentEffects: Preview = async (_, { target: { kind, id }, reader }) => {
  if (kind === 'terraform') return ['Terraform plans and applies: what drifted is changed back, in the cloud account too.'];
  if (kind !== 'job') return [];
  const text = jobEffect(id === undefined ? undefined : await readById(kind, id, reader));
  return [`${text[0]!.toUpperCase()}${text.slice(1)}.`];
};

function serviceLine(service: JsonRecord): string {
  const kind = textOf(service, 'service_type')?.toLowerCase();
  const called = `${showName(textOf(service, 'name') ?? String(service['id']))} (${kind ?? 'of no kind that is told'})`;
  if (!isServiceKind(kind)) return `${called}: no tool acts on services of this kind; whether it is deployed, and what that does, is not known.`;
  const effect = effectOf(kind, service);
  return `${called}: ${[...(effect === undefined ? [] : [effect]), versionOf(service) ?? 'of a version that is not known'].join(', ')}.`;
}

/** An agreement covers the service's id too, since another service may have its name by then. */
const agreedLine = (service: JsonRecord): PlanLine => {
  const text = serviceLine(service);
  return { text, agreed: `${String(service['id'])} ${text}` };
};

/** What deploying the target environment does to each of its services. Leaves out states and times, which change while somebody reads. */
export const environmentDeployment: Preview = reading(readUses('the plan does not show which services are deployed', operations.list_services), async (_, { target, reader }) => {
  const services = await servicesIn(target.id, reader);
  if (!services) return [notKnown('which services there are, and so what is done to which; it may run jobs, and plan and apply Terraform')];
  return services.length === 0 ? ['There are no services in it.'] : services.map(agreedLine);
});

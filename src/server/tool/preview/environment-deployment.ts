import { isServiceKind, operations } from '../../../contract/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { servicesIn } from '../../context/index.ts';
import { versionOf } from './deployment.ts';
import { reading, readUses } from '../reads.ts';
import { showName, textOf, notKnown, type PlanLine, type Preview } from './preview.ts';

/** Side effects of deploying a service, by kind. */
const effectsByKind: Readonly<Record<string, string>> = { terraform: 'plan and apply', job: 'runs the job' };

/** The same as a sentence about one service; empty for kinds without side effects. */
export const effectLines = (kind: string): readonly string[] =>
  kind === 'terraform' ? ['Terraform plans and applies: what drifted is changed back, in the cloud account too.'] : kind === 'job' ? ['Runs the job.'] : [];

function serviceLine(service: JsonRecord): string {
  const kind = textOf(service, 'service_type')?.toLowerCase();
  const called = `${showName(textOf(service, 'name') ?? String(service['id']))} (${kind ?? 'of no kind that is told'})`;
  if (!isServiceKind(kind)) return `${called}: no tool acts on services of this kind; whether it is deployed, and what that does, is not known.`;
  return `${called}: ${[...(effectsByKind[kind] === undefined ? [] : [effectsByKind[kind]]), versionOf(service) ?? 'of a version that is not known'].join(', ')}.`;
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

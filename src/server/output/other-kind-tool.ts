import { serviceKinds, type ServiceKind } from '../../contract/index.ts';
import type { ResolutionProblem } from '../failure/index.ts';
import { isInfraUri, isOfKind, parseUri } from '../resolve/index.ts';
import type { TextPart, Tool } from '../tool/index.ts';

/** For tools that take one kind of service: the tool that does the same for any kind. */
const forAnyKind: Readonly<Record<string, string>> = {
  get_application_logs: 'search_logs',
  get_application_status: 'get_service',
  get_helm: 'get_service',
  deploy_application: 'deploy_service',
  deploy_database: 'deploy_service',
  redeploy_terraform: 'deploy_service',
  list_job_deployments: 'list_deployments',
};

/** There is an update tool for each kind. */
const isUpdate = (name: string): boolean => serviceKinds.some((kind) => name === `update_${kind}`);

const asServiceKind = (kind: string | undefined): ServiceKind | undefined => serviceKinds.find((one) => one === kind);

/** The kind of the service that a reference names, if it is plain and not the one that was asked for. */
function otherKindOf({ kind, reference, why, suggestions }: ResolutionProblem): ServiceKind | undefined {
  const found =
    why === 'wrong_kind'
      ? [isInfraUri(reference) ? parseUri(reference)?.kind : undefined]
      : why === 'unknown'
        ? suggestions.map((one) => one.kind)
        : [];
  const [only, ...others] = new Set(found);
  const other = others.length === 0 ? asServiceKind(only) : undefined;
  return other !== undefined && !isOfKind(other, kind) ? other : undefined;
}

/**
 * Which tool takes the service that a reference names, where it is of another kind than the called tool takes; undefined
 * if it isn't, or no tool does the same for that kind.
 */
export function otherKindTool({ name }: Pick<Tool, 'name'>, problem: ResolutionProblem): TextPart | undefined {
  const kind = otherKindOf(problem);
  if (kind === undefined) return undefined;
  const tool = isUpdate(name) ? `update_${kind}` : forAnyKind[name];
  return tool === undefined ? undefined : { text: `For a service of kind ${kind}, use ${tool}.`, tools: [tool] };
}

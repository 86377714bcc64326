import { isHeldExternally, operations } from '../../src/contract/index.ts';
import { partialUpdate, defineTool, naming, type JsonRecord, type PlannedOperation, type ResolvedResource, type ToolContext } from '../../src/server/tool/index.ts';

const unchangeable = ['BUILT_IN', 'PROJECT'];

/** Why the platform would refuse a change, so that nobody is asked to confirm it in vain. */
function fixed({ scope, variable_type: type }: JsonRecord, changed: JsonRecord) {
  if (unchangeable.includes(String(scope))) {
    return { what: `it is of scope ${String(scope)}, which can't be changed here`, next: naming`A container can get its own value of it with ${'override_environment_variable'}, except of scope BUILT_IN; nothing here changes it for all.` };
  }
  if (isHeldExternally(String(type))) return { what: 'its value is held by another system', next: ['Change it there.', naming`${'list_environment_variables'} says where, as owned_by.`] };
  if (type === 'OVERRIDE' && changed['key'] !== undefined) return { what: "it overrides an inherited variable, so its key can't be changed", next: 'Leave key out.' };
  if (type === 'ALIAS' && changed['value'] !== undefined) return { what: 'it is an alias and has the value of the variable it stands for', next: ['Change that one.', naming`${'list_environment_variables'} shows it as aliased_variable.`] };
  return undefined;
}

const resolvedVariable = ({ resolved }: ToolContext): ResolvedResource | undefined => resolved['environment_variable_id'];

const update = partialUpdate(operations.update_environment_variable, { fixed, shownBy: (context) => resolvedVariable(context)?.service });

/** The service that holds a variable, where its path tells: some platforms change it at the service's path only. */
function holderOf(variable: ResolvedResource | undefined): ResolvedResource['service'] {
  return variable?.service?.kind.toUpperCase() === variable?.scope ? variable?.service : undefined;
}

async function expand(args: JsonRecord, context: ToolContext): Promise<readonly PlannedOperation[]> {
  const heldBy = holderOf(resolvedVariable(context));
  return (await update.expand(args, context)).map((planned) => (heldBy ? { ...planned, heldBy } : planned));
}

export const updateEnvironmentVariable = defineTool(operations.update_environment_variable, {
  toolset: 'variables',
  description: [
    'Edit an environment variable (env var) of an environment or of one of its services: change its value or name. Give only what changes.',
    naming`Several at once: ${'set_environment_variables'}.`,
  ],
  ...update,
  expand,
  fields: { environment_variable_id: 'Key or id; not of scope BUILT_IN or PROJECT.' },
  plan: () => ['Services that use it get the new value with their next deployment.'],
  next: 'It takes effect with the next deployment of the services that use it.',
});

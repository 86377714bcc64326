import * as z from 'zod';
import { operations, reference } from '../../src/contract/index.ts';
import { findDrift, type ComparedEnvironment, type ComparedVariable } from '../../src/analysis/index.ts';
import { composeTool, containsMark, isRecord, naming, pruneRecord, readUses, tableText, type JsonRecord, type ToolContext } from '../../src/server/tool/index.ts';

const rows = (list: { results?: unknown } | undefined): readonly JsonRecord[] | undefined => (Array.isArray(list?.results) ? list.results.filter(isRecord) : undefined);

/** The rows of a list of variables that say which variable they are. */
const variableRows = (list: { results?: unknown } | undefined): readonly JsonRecord[] | undefined => rows(list)?.filter(({ key }) => typeof key === 'string');

const serviceScopes: readonly string[] = ['APPLICATION', 'CONTAINER'];

/** A variable to compare. It has a value only if all of that may be shown. */
const compared = (row: JsonRecord, service?: string): ComparedVariable => ({
  key: String(row['key']), scope: String(row['scope']), ...(service !== undefined && { service }), value: typeof row['value'] === 'string' && !containsMark(row['value']) ? row['value'] : undefined,
});

/** A service's own variables. The platform lists only those of applications and containers. */
async function ofService(context: ToolContext, service: JsonRecord): Promise<ComparedVariable[]> {
  const { id, name } = service;
  if (typeof id !== 'string' || typeof name !== 'string') return [];
  const list =
    service['service_type'] === 'APPLICATION' ? await context.attempt(operations.list_environment_variables, { application_id: id })
    : service['service_type'] === 'CONTAINER' ? await context.attempt(operations.list_variables_of_container, { container_id: id })
    : undefined;
  return (variableRows(list) ?? []).filter(({ scope }) => serviceScopes.includes(String(scope))).map((row) => compared(row, name));
}

async function environmentOf(context: ToolContext, member: string, environment_id: string): Promise<ComparedEnvironment> {
  const [list, variables] = await Promise.all([
    context.attempt(operations.list_services, { environment_id }),
    context.attempt(operations.list_variables_of_environment, { environment_id }),
  ]);
  const services = rows(list) ?? context.refuse('this platform does not list the services of an environment', naming`Compare them one by one with ${'get_service'}.`);
  const own = await Promise.all(services.map((service) => ofService(context, service)));
  const shared = variableRows(variables)?.map((row) => compared(row));
  return { name: context.resolved[member]?.path ?? environment_id, services, variables: [...(shared ?? []), ...own.flat()] };
}

const records = (value: unknown): readonly JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);

export const compareEnvironments = composeTool({
  name: 'compare_environments',
  toolset: 'environments',
  description:
    'What differs between staging and production? Compares two environments service by service: missing services, images, tags, commits, env vars (whether they ' +
    'differ, never their values), CPU, memory, instances, ports. Gravest first.',
  input: { first: reference('environment'), second: reference('environment') },
  operations: [operations.list_services, operations.list_variables_of_environment, operations.list_environment_variables, operations.list_variables_of_container],
  reads: readUses('variables are not all compared', operations.list_variables_of_environment, operations.list_environment_variables, operations.list_variables_of_container),
  output: z.object({ first: z.string(), second: z.string(), pairs: z.int(), same: z.int(), results: z.array(z.object({ kind: z.string(), service: z.string(), what: z.string(), first: z.string(), second: z.string() })) }),
  answer: async ({ first, second }, context) => {
    const [one, other] = await Promise.all([environmentOf(context, 'first', first), environmentOf(context, 'second', second)]);
    const { differences, pairs, same, unknown } = findDrift(one, other);
    return pruneRecord({ first: one.name, second: other.name, pairs, same, results: differences.map((row) => ({ ...row })), not_comparable: unknown });
  },
  render: {
    view: (answer) => ({ ...answer, results: answer['results'] ?? [] }),
    text: ({ first, second, pairs, same, results, not_comparable }) => {
      const differences = records(results);
      const head = `${String(first)} and ${String(second)} have ${String(pairs)} services in common, ${String(same)} of them alike; ${differences.length} differences.`;
      return [
        head,
        ...(differences.length > 0 ? [tableText(records(results), ['kind', 'service', 'what', 'first', 'second'])] : []),
        ...(Array.isArray(not_comparable) ? [`Set in both, and not compared, because what they hold is hidden: ${not_comparable.join(', ')}`] : []),
      ].join('\n');
    },
    keep: 'first',
  },
});

import * as z from 'zod';
import { policyFileFor } from '../../src/server/guard/policy/rules.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: SchemaNode;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

const typeOf = ({ type, enum: values, items, minimum }: SchemaNode): string => {
  if (values) return values.map(code).join(', ');
  if (items) return items.properties ? 'list of rules' : `list of ${typeOf(items)}`;
  return minimum === undefined ? (type ?? 'any') : `${type}, at least ${minimum}`;
};

/** A condition may be one value or a list of them; its schema has the list. */
const conditionType = (schema: SchemaNode): string => typeOf(schema.items ?? schema);

const rows = (members: Readonly<Record<string, SchemaNode>>, type: (schema: SchemaNode) => string): string[][] =>
  Object.entries(members).map(([name, schema]) => [code(name), type(schema), schema.description ?? '']);

/** docs/policy.md: what a policy file may hold, from the schema that reads it. */
export function policyPage(): string {
  const { properties = {} } = z.toJSONSchema(policyFileFor(tools), { io: 'output', unrepresentable: 'any' }) as SchemaNode;
  const rule = properties['deny']!.items!.properties!;
  const window = properties['freeze']!.items!.properties!;
  const timing = Object.fromEntries(Object.entries(window).filter(([name]) => !(name in rule)));
  return `${[
    '# Policy files',
    'What a file named by `INFRA_POLICY_FILE` may hold, in YAML or JSON; an example is in [guardrails.md](guardrails.md). Everything may be left out. Unknown keys, unknown tools, times that are none, names that no place could have and rules whose conditions exclude each other stop the start, with their line. `infra-mcp tools --policy-file policy.yaml` shows what a file leaves; `infra-mcp doctor` what is wrong with it, and which of its projects and environments are not there.',
    markdownTable(['Key', 'Type', 'Meaning'], rows(properties, typeOf)),
    '## Rules',
    'Of `allow`, `deny` and `freeze`. A rule has at least one condition besides its name, and all of them have to hold; a condition may be one value or a list of them, and holds for any.',
    markdownTable(['Condition', 'Values', 'Meaning'], rows(rule, conditionType)),
    '## What a rule is held against',
    [
      '- Everything that a call touches: a rule that denies holds where its conditions hold for anything of it, one that allows where they hold for all of it. A clone of a STAGING environment into PRODUCTION is both.',
      '- What a cluster hosts, for a change of the cluster: a rule that denies or freezes a project or environment holds for it too. For that at most 20 projects are read, for 5 seconds; where not everything that it hosts is found, such rules hold. Creating an environment on it changes nothing of the others.',
      '- Everything that a call carries out. Deploying an environment is, for each of its services, what deploying that service alone would be, such as `deploy_database` or `redeploy_terraform`, at its own tier; for `max_disruptive_per_hour` each part that is disruptive or graver counts. Restarting several services, or stopping an environment, counts once for each service, as far as the services can be read. Where the services can not be read, any of these may be in it: then rules that deny hold, and it counts as disruptive.',
      '- What a tool does, for a rule that denies or freezes it: `deploy_application` denied, `rollback_application` and `deploy_service` do not deploy an application either. It holds the other way round for tools that change something by several operations: `deploy_service` denied, `deploy_database`, `deploy_application` and the others are too; `set_environment_variables` denied, so is what sets a single variable.',
      '- `rollback_application` denied, `deploy_application` may not go back either: with the commit of an older deployment of that application it is refused. For that its history is read; where it can not be, or not to its beginning, any commit that is named may be an older one, and is refused.',
      '- A rule that allows a tool means that tool alone. Tools that a rule leaves nothing of are not listed.',
    ].join('\n'),
    '## Times',
    'Of `freeze`; all are needed. A freeze may have conditions too, and holds for everything where it has none.',
    markdownTable(['Key', 'Type', 'Meaning'], rows(timing, typeOf)),
  ].join('\n\n')}\n`;
}

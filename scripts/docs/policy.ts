import * as z from 'zod';
import { policyFileFor } from '../../src/mcp/guard/policy/rules.ts';
import { tools } from '../../tools/index.ts';
import { code, table } from './markdown.ts';

interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: Described;
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
}

const typeOf = ({ type, enum: values, items, minimum }: Described): string => {
  if (values) return values.map(code).join(', ');
  if (items) return items.properties ? 'list of rules' : `list of ${typeOf(items)}`;
  return minimum === undefined ? (type ?? 'any') : `${type}, at least ${minimum}`;
};

/** A condition may be one value or a list of them; its schema has the list. */
const conditionType = (schema: Described): string => typeOf(schema.items ?? schema);

const rows = (members: Readonly<Record<string, Described>>, type: (schema: Described) => string): string[][] =>
  Object.entries(members).map(([name, schema]) => [code(name), type(schema), schema.description ?? '']);

/** docs/policy.md: what a policy file may hold, from the schema that reads it. */
export function policyPage(): string {
  const { properties = {} } = z.toJSONSchema(policyFileFor(tools), { io: 'output', unrepresentable: 'any' }) as Described;
  const rule = properties['deny']!.items!.properties!;
  const window = properties['freeze']!.items!.properties!;
  const timing = Object.fromEntries(Object.entries(window).filter(([name]) => !(name in rule)));
  return `${[
    '# Policy files',
    'What a file named by `INFRA_POLICY_FILE` may hold, in YAML or JSON; an example is in [guardrails.md](guardrails.md). Everything may be left out. Unknown keys, unknown tools, times that are none, names that no place could have and rules whose conditions exclude each other stop the start, with their line. `infra-mcp tools --policy-file policy.yaml` shows what a file leaves; `infra-mcp doctor` what is wrong with it, and which of its projects and environments are not there.',
    table(['Key', 'Type', 'Meaning'], rows(properties, typeOf)),
    '## Rules',
    'Of `allow`, `deny` and `freeze`. A rule has at least one condition besides its name, and all of them have to hold; a condition may be one value or a list of them, and holds for any.',
    table(['Condition', 'Values', 'Meaning'], rows(rule, conditionType)),
    '## Times',
    'Of `freeze`; all are needed. A freeze may have conditions too, and holds for everything where it has none.',
    table(['Key', 'Type', 'Meaning'], rows(timing, typeOf)),
  ].join('\n\n')}\n`;
}

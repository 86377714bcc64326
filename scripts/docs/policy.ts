import * as z from 'zod';
import { policyFileFor } from '../../src/server/guard/index.ts';
import type { Tool } from '../../src/server/tool/index.ts';
import { tools } from '../../tools/index.ts';
import { code, markdownTable } from './markdown.ts';

interface SchemaNode {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
  readonly minimum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

const typeOf = ({ type, enum: values, items, anyOf, properties, minimum }: SchemaNode): string => {
  if (anyOf) return anyOf.map(typeOf).join(', ');
  if (properties)
    return code(
      `{${Object.keys(properties)
        .map((name) => `${name}: …`)
        .join(', ')}}`,
    );
  if (values) return values.map(code).join(', ');
  if (items) return items.properties ? 'list of rules' : `list of ${typeOf(items)}`;
  return minimum === undefined ? (type ?? 'any') : `${type}, at least ${minimum}`;
};

/** The type of a condition: that of one value. The schema has the list. */
const conditionType = (schema: SchemaNode): string => typeOf(schema.items ?? schema);

const rows = (members: Readonly<Record<string, SchemaNode>>, type: (schema: SchemaNode) => string): string[][] =>
  Object.entries(members).map(([name, schema]) => [code(name), type(schema), schema.description ?? '']);

/** A policy with every key. */
const example = `read_only: false

# Overrides allow. A rule matches if all its conditions match; a condition with several values matches any of them.
deny:
  - name: nothing irreversible on production
    tier: [destructive, sensitive]
    mode: PRODUCTION
  - tool: upgrade_cluster
  - project: payments          # a name or an id
    environment: live          # or in one: payments/live

# If given, a call must match one of these.
allow:
  - tier: read
  - toolset: [services, variables, environments]

# No changes on production at weekends.
freeze:
  - name: weekend
    cron: 0 18 * * 5
    time_zone: Europe/Paris
    duration: P2DT12H
    mode: [PRODUCTION, unknown]

max_disruptive_per_hour: 10

# Where the caller may confirm its own plan, and where only the operator may agree. No tier can be in both.
unattended:
  - disruptive
  - tool: revoke_api_token     # a token that leaked waits for nobody
operator_only: [destructive]

# Where operators other than the caller have to agree. They are in the operators file.
two_person:
  - name: two for what can't be undone
    tier: destructive
    mode: PRODUCTION
    approvals: 2
    of: [ada, bob, cy]

# Variables of the server whose values a call may set, with value_from_env, without seeing them.
value_from_env: [CHECKOUT_DB_PASSWORD]`;

/** The operations that a tool which only reads is there to show. */
const shownBy = ({ name, operations, equivalentOperations = [] }: Tool): readonly string[] =>
  [...operations.filter((one) => one.name === name), ...equivalentOperations].map((operation) => operation.name);

/** For each tool that reads, the other ones that read the same and leave it out where it is denied. */
const sharedReads = (): string[][] => {
  const reading = tools.filter(({ operation }) => operation.effect === 'read');
  return reading.flatMap((tool) => {
    const own = shownBy(tool);
    const others = reading.filter(
      (other) =>
        other !== tool &&
        [...other.operations, ...(other.reads ?? []).map(({ operation }) => operation)].some((operation) =>
          own.includes(operation.name),
        ),
    );
    return others.length === 0 ? [] : [[code(tool.name), others.map(({ name }) => code(name)).join(', ')]];
  });
};

/** docs/policy.md: the format of policy files, generated from its schema. */
export function policyPage(): string {
  const { properties = {} } = z.toJSONSchema(policyFileFor(tools), {
    io: 'output',
    unrepresentable: 'any',
  }) as SchemaNode;
  const rule = properties['deny']!.items!.properties!;
  const window = properties['freeze']!.items!.properties!;
  const twoPerson = properties['two_person']!.items!.properties!;
  const agreeing = Object.fromEntries(Object.entries(twoPerson).filter(([name]) => !(name in rule)));
  const timing = Object.fromEntries(Object.entries(window).filter(([name]) => !(name in rule)));
  return `${[
    '# Policy files',
    'For operators: the file at `INFRA_POLICY_FILE`, in YAML or JSON. [Guardrails](guardrails.md) explains tiers and agreement.',
    `\`\`\`yaml\n${example}\n\`\`\``,
    "Every key is optional. Unknown keys, unknown tools, invalid times, impossible project or environment names and contradictory conditions abort startup with an error that names the line. `infra-mcp tools --policy-file policy.yaml` lists the tools that a file leaves; `infra-mcp doctor` reports errors in it, and projects and environments that don't exist.",
    markdownTable(['Key', 'Type', 'Meaning'], rows(properties, typeOf)),
    '## Rules',
    'The rules of `allow`, `deny`, `freeze` and `two_person`. A rule needs at least one condition in addition to its name, and applies only if all of its conditions match. A condition is one value or a list of values, and matches any of them.',
    markdownTable(['Condition', 'Values', 'Meaning'], rows(rule, conditionType)),
    '## What rules apply to',
    [
      '- Every resource that a call affects. A `deny` rule applies if it matches any of them, an `allow` rule only if it matches all of them. Cloning a STAGING environment into PRODUCTION affects both.',
      "- Everything that a cluster hosts, if a call changes the cluster: rules that deny or freeze a project or environment on it apply too. To find them, the server reads at most 20 projects, for at most 5 seconds. If it can't find everything that the cluster hosts, such rules apply. Creating an environment on a cluster doesn't affect the others.",
      "- Every operation that a call carries out. Deploying an environment includes the deployment of each of its services, such as `deploy_database` or `redeploy_terraform`, with its own tier. Each part that is disruptive, destructive or sensitive counts towards `max_disruptive_per_hour`. Restarting several services, or stopping an environment, counts once for each service that can be read. If the services can't be read, the call may include any of these operations: `deny` rules for them apply, and the call counts as disruptive.",
      '- The action of a tool, if a rule denies or freezes the tool. Denying `deploy_application` also stops `rollback_application` and `deploy_service` from deploying an application. Denying a tool that uses several operations denies their own tools as well: `deploy_service` includes `deploy_database`, `deploy_application` and the others; `set_environment_variables` includes the tools that set a single variable. Denying `create_secret` or `update_environment_variable` also stops a secret from getting another value.',
      "- Rollbacks through `deploy_application`, if `rollback_application` is denied: the server refuses the commit of an older deployment of the application. It checks the deployment history. If it can't read the complete history, it refuses every explicit commit, because that might be an older one.",
      "- Starting, if `start_services` is denied: a deployment of several services is refused that names a stopped one, or whose states can't be read; a deployment of a single service is not. Denying `deploy_service` also stops `start_services`, because it deploys what ran before.",
      '- Only the named tool, if a rule allows a tool. Tools that the rules deny completely are not listed.',
    ].join('\n'),
    '## Reads that are denied',
    'A rule that denies a tool denies its reads in every tool and resource. A tool that is there for more shows the rest, and says what it left out and by which rule; one that has nothing else is refused.',
    markdownTable(['Denied', 'Also left out by, or refused'], sharedReads()),
    [
      'What a denied tool shows can also be a part of what another one is there for. Deny that one too:',
      '',
      '- `list_services` has the configuration that `get_service` and `get_helm` show, `list_environments` the modes and clusters that `get_environment` shows.',
      '- `get_environment_status` has the states that `get_application_status` shows.',
      "- A plan, and what somebody is asked to agree to, shows what a change replaces, whoever may read it otherwise: people don't agree to what they can't see. Deny the tools that change it too.",
      '- Names are looked up, and calls judged, by reads that no rule denies. Their answers are not shown.',
    ].join('\n'),
    '## What is not told',
    [
      "A place that rules keep from being read is not named either, by no tool that reads, and by no resource, prompt, completion or subscription. Tools that change things don't name it where the change is denied too:",
      '',
      "- Lists of projects, environments, alert rules, deliveries of webhooks and events lose the rows that belong there, and those whose place can't be told. `INFRA_PROJECT` and `INFRA_ENVIRONMENT` do the same. The answer says what kind of rows is left out, in the same words whether there were any or not. Warnings of clusters are left out as a whole, because they name services of any place.",
      '- A name that matches nothing gets no suggestions, and of a name that several things have, only those that may be read are listed, of the first ten. Completion uses only what was read under the same policy.',
      '- A change that is denied because of something that it carries out, such as the deletion of a service with its environment, says on which service only if that may be read.',
      '- A change that is in effect already, such as stopping what is stopped, is answered without what was read to find that out, if that may not be read.',
      '- A denial says where its rule is set (`policy.yaml, deny[0]`) and the name that you gave the rule, but not a project or environment that may not be read. `infra://policy` does the same. So keep such names out of `name`.',
      "- Errors of the platform lose the ids that the call didn't give.",
      '',
      'What remains: where rules deny reading but not a change (`tier: read`), the plan of that change, also where it is repeated after somebody refused, and its answer name what it is about, by paths too. Deny the change as well to keep names from being told. Besides that: counts of what there is, names that are part of something else (the text of an alert rule, of an event or of a log line), and that a guessed name exists, because the denial differs from "there is no such project".',
    ].join('\n'),
    '## Two persons',
    'The keys of `two_person` besides the conditions. In doubt a rule holds. [Guardrails](guardrails.md#operators-with-names) has the operators file.',
    markdownTable(['Key', 'Type', 'Meaning'], rows(agreeing, typeOf)),
    '## Times',
    'The keys of `freeze`, all required. A freeze can have conditions too; without conditions it applies to every change.',
    markdownTable(['Key', 'Type', 'Meaning'], rows(timing, typeOf)),
  ].join('\n\n')}\n`;
}

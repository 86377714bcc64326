import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteRequest,
  type CompleteResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { isServiceKind, operations, serviceKinds, repeated } from '../../contract/index.ts';
import {
  type ResourceKind,
  type NameResolver,
  pointsAt,
  table,
  type Tool,
  type Toolset,
  composeTool,
} from '../tool/index.ts';
import { days } from './prompts/prompt.ts';
import { allResources } from './resources/catalog.ts';
import { isPlatformResource } from './resources/resource.ts';
import type { CallFor } from './resources/resource-reader.ts';
import type { Texts } from './texts.ts';
import { canHideReads, policyNumber, type Policy } from '../guard/index.ts';
import { own } from '../json/index.ts';

/** Dependencies of completion. */
export interface CompletionDependencies {
  readonly resolver: NameResolver;
  readonly policy: Policy;
  readonly call: CallFor;
  readonly principalOf: (context: ServerContext) => string;
  readonly texts?: Texts;
}

/** Maximum number of values of one completion: the protocol's limit. */
const mostValues = 100;

/** The toolset of each kind. Policy rules for a toolset also apply to completion of its kind. */
const toolsets: Partial<Record<ResourceKind, Toolset>> = {
  project: 'projects',
  environment: 'environments',
  cluster: 'clusters',
  alert_rule: 'alerts',
  role: 'organization',
};

/**
 * A tool that completes the typed text, so that the lookup is guarded and redacted like any call: it reads only what
 * the policy lets the caller see, and uses nothing that was read otherwise.
 */
const completionTool = (
  kind: ResourceKind,
  typed: string,
  principal: string,
  { resolver, policy }: CompletionDependencies,
): Tool =>
  composeTool({
    name: 'completion',
    toolset: toolsets[kind] ?? 'services',
    description: 'Completes a name.',
    input: {},
    operations: [operations.get_organization],
    output: z.looseObject({}),
    answer: async (_, { now, ...reader }) => {
      const values = await resolver.complete(kind, typed, {
        principal,
        reader,
        now,
        ...(canHideReads(policy) && { view: `policy ${policyNumber(policy)}` }),
      });
      return { results: values.map((value) => ({ value })) };
    },
    render: table('value', ['value']),
  });

/**
 * The source of an argument's completions: fixed values, the names of a kind, or the versions of a service; undefined
 * for none.
 */
type Choice =
  | { readonly among: readonly string[] }
  | { readonly kind: ResourceKind }
  | { readonly versionsOf: string }
  | undefined;

function choiceInTemplate(uri: string, argument: string, args: Readonly<Record<string, string>>): Choice {
  const resource = allResources.find((one) => one.uri === uri);
  if (!resource)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource template ${repeated(uri)}`);
  if (argument === 'kind') return { among: serviceKinds };
  const schema = isPlatformResource(resource) ? own(resource.tool.input, argument) : undefined;
  const kind = schema && pointsAt(schema);
  if (kind === undefined) return undefined;
  return { kind: kind === 'service' && isServiceKind(args['kind']) ? args['kind'] : kind };
}

async function choiceInPrompt(
  name: string,
  argument: string,
  args: Readonly<Record<string, string>>,
  texts: Texts | undefined,
): Promise<Choice> {
  const prompt = (await texts?.prompts())?.get(name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${repeated(name)}"`);
  const { kind, form, of: service } = own(prompt.arguments, argument) ?? {};
  if (form === 'since') return { among: days };
  if (service !== undefined) return args[service] ? { versionsOf: args[service] } : undefined;
  return kind && { kind };
}

/** Commits and image tags that a service was deployed with, newest first; none if its history can't be read. */
async function versionsOf(service: string, context: ServerContext, call: CallFor): Promise<readonly string[]> {
  const history = allResources.filter(isPlatformResource).find(({ name }) => name === 'service_history')!;
  const reply = await call(context, history.tool, { service });
  const rows =
    reply.kind === 'answer'
      ? (reply.data['results'] as readonly { readonly commit?: string; readonly tag?: string }[])
      : [];
  return [...new Set(rows.flatMap(({ commit, tag }) => commit ?? tag ?? []))];
}

const completionResult = (values: readonly string[]): CompleteResult => ({
  completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
});

/** Completes the variables of resource templates and the arguments of prompts, by name and by id. */
export const completer =
  (dependencies: CompletionDependencies) =>
  async (
    { ref, argument, context: completionContext }: CompleteRequest['params'],
    context: ServerContext,
  ): Promise<CompleteResult> => {
    const { call, principalOf, texts } = dependencies;
    const startingWith = (values: readonly string[]): readonly string[] =>
      values.filter((value) => value.toLowerCase().startsWith(argument.value.toLowerCase()));
    const choice =
      ref.type === 'ref/prompt'
        ? await choiceInPrompt(ref.name, argument.name, completionContext?.arguments ?? {}, texts)
        : choiceInTemplate(ref.uri, argument.name, completionContext?.arguments ?? {});
    if (!choice) return completionResult([]);
    if ('among' in choice) return completionResult(startingWith(choice.among));
    if ('versionsOf' in choice)
      return completionResult(startingWith(await versionsOf(choice.versionsOf, context, call)));
    const reply = await call(
      context,
      completionTool(choice.kind, argument.value, principalOf(context), dependencies),
      {},
    );
    // A failure gives no completions: the call itself reports the error.
    const rows = reply.kind === 'answer' ? (reply.data['results'] as readonly { readonly value: string }[]) : [];
    return completionResult(rows.map(({ value }) => value));
  };

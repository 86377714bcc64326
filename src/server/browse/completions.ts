import { ProtocolError, ProtocolErrorCode, type CompleteRequest, type CompleteResult, type ServerContext } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { operations } from '../../contract/operations.ts';
import { serviceKinds } from '../../contract/resources/service.ts';
import type { ResourceKind, NameResolver } from '../tool/name-resolver.ts';
import { pointsAt } from '../tool/references.ts';
import { days } from './prompts/argument-forms.ts';
import { allResources } from './resources/catalog.ts';
import { isPlatformResource } from './resources/resource.ts';
import type { CallFor } from './resources/resource-reader.ts';
import { table } from '../tool/render.ts';
import type { Texts } from './texts.ts';
import { type Tool, type Toolset } from '../tool/tool.ts';
import { own } from '../json/values.ts';
import { composeTool } from '../tool/define-tool.ts';

/** What completing works with. */
export interface CompletionDependencies {
  readonly resolver: NameResolver;
  readonly call: CallFor;
  readonly principalOf: (context: ServerContext) => string;
  readonly texts?: Texts;
}

/** Most values of one answer, by the protocol. */
const mostValues = 100;

/** Rules of the policy about these tools hold for looking their things up too. */
const toolsets: Partial<Record<ResourceKind, Toolset>> = { project: 'projects', environment: 'environments', cluster: 'clusters', alert_rule: 'alerts', role: 'organization' };

/** Looks up what was begun to be typed, as a tool reads: guarded and protected. */
const lookup = (kind: ResourceKind, typed: string, principal: string, addresses: NameResolver): Tool =>
  composeTool({
    name: 'completion',
    toolset: toolsets[kind] ?? 'services',
    description: 'Completes a name.',
    input: {},
    operations: [operations.get_organization],
    output: z.looseObject({}),
    answer: async (_, { now, ...reader }) => {
      const values = await addresses.complete(kind, typed, { principal, reader, now });
      return { results: values.map((value) => ({ value })) };
    },
    render: table('value', ['value']),
  });

const isServiceKind = (text: string | undefined): text is (typeof serviceKinds)[number] => serviceKinds.some((kind) => kind === text);

/** What an argument of a reference is to be completed with: values there are, a kind of thing, or versions that a service had; undefined for nothing. */
type Choice = { readonly among: readonly string[] } | { readonly kind: ResourceKind } | { readonly versionsOf: string } | undefined;

function choiceInTemplate(uri: string, argument: string, given: Readonly<Record<string, string>>): Choice {
  const resource = allResources.find((one) => one.uri === uri);
  if (!resource) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no resource template ${uri}`);
  if (argument === 'kind') return { among: serviceKinds };
  const taken = isPlatformResource(resource) ? own(resource.tool.input, argument) : undefined;
  const kind = taken && pointsAt(taken);
  if (kind === undefined) return undefined;
  return { kind: kind === 'service' && isServiceKind(given['kind']) ? given['kind'] : kind };
}

async function choiceInPrompt(name: string, argument: string, given: Readonly<Record<string, string>>, texts: Texts | undefined): Promise<Choice> {
  const prompt = (await texts?.prompts())?.get(name);
  if (!prompt) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no prompt "${name}"`);
  const { kind, form, of: service } = own(prompt.arguments, argument) ?? {};
  if (form === 'since') return { among: days };
  if (service !== undefined) return given[service] ? { versionsOf: given[service] } : undefined;
  return kind && { kind };
}

/** Commits and image tags that a service was deployed with, newest first; none where its history can't be read. */
async function versionsOf(service: string, context: ServerContext, call: CallFor): Promise<readonly string[]> {
  const history = allResources.filter(isPlatformResource).find(({ name }) => name === 'service_history')!;
  const reply = await call(context, history.tool, { service });
  const rows = reply.kind === 'answer' ? (reply.data['results'] as readonly { readonly commit?: string; readonly tag?: string }[]) : [];
  return [...new Set(rows.flatMap(({ commit, tag }) => commit ?? tag ?? []))];
}

const completionResult = (values: readonly string[]): CompleteResult => ({
  completion: { values: values.slice(0, mostValues), total: values.length, hasMore: values.length > mostValues },
});

/** Completes the variables of resource templates and the arguments of prompts, by name and by id. */
export const completer =
  ({ resolver: addresses, call, principalOf, texts }: CompletionDependencies) =>
  async ({ ref, argument, context: given }: CompleteRequest['params'], context: ServerContext): Promise<CompleteResult> => {
    const beginning = (values: readonly string[]): readonly string[] => values.filter((value) => value.toLowerCase().startsWith(argument.value.toLowerCase()));
    const choice = ref.type === 'ref/prompt' ? await choiceInPrompt(ref.name, argument.name, given?.arguments ?? {}, texts) : choiceInTemplate(ref.uri, argument.name, given?.arguments ?? {});
    if (!choice) return completionResult([]);
    if ('among' in choice) return completionResult(beginning(choice.among));
    if ('versionsOf' in choice) return completionResult(beginning(await versionsOf(choice.versionsOf, context, call)));
    const reply = await call(context, lookup(choice.kind, argument.value, principalOf(context), addresses), {});
    // Whoever types isn't helped by an error: the call itself will say what is wrong.
    const rows = reply.kind === 'answer' ? (reply.data['results'] as readonly { readonly value: string }[]) : [];
    return completionResult(rows.map(({ value }) => value));
  };

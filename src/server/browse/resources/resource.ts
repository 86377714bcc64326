import * as z from 'zod';
import type { AnyOperation } from '../../../contract/operation.ts';
import type { Policy } from '../../guard/policy/policy.ts';
import { type ArgumentsOf, type CompositionDefinition, type Shape, type Tool } from '../../tool/tool.ts';
import type { Texts } from '../texts.ts';
import { omit, type JsonRecord } from '../../json/values.ts';
import type { ListedResource } from './mcp-resources.ts';
import { composeTool, defineTool } from '../../tool/define-tool.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { record, table, type Renderer } from '../../tool/render.ts';

/** How changes of a resource are found out. */
interface WatchSettings {
  /** Requests that one look takes. */
  readonly requests: number;
  /** Whether something is under way in what is shown. */
  readonly isMoving: (view: JsonRecord) => boolean;
}

/** Something of the platform, read as a tool reads it: guarded, protected, recorded. */
export interface PlatformResource extends ListedResource {
  /** Takes the variables of the template by their names. */
  readonly tool: Tool;
  /** Where changes of it can be told. */
  readonly watched?: WatchSettings;
}

/** Something that this server knows by itself. */
export interface ServerResource extends ListedResource {
  readonly text: (known: { readonly policy: Policy; readonly texts: Texts }) => Promise<string>;
}

export type Resource = PlatformResource | ServerResource;

export const isPlatformResource = (resource: Resource): resource is PlatformResource => 'tool' in resource;

const anyRecord = z.looseObject({});

/** Remembers what was made: most clients read few resources, if any. */
const lazyResource = (described: ListedResource & Pick<PlatformResource, 'watched'>, make: () => Tool): PlatformResource => {
  let tool: Tool | undefined;
  return {
    ...described,
    get tool() {
      return (tool ??= { ...make(), isResource: true });
    },
  };
};

/** What is written down of a resource that is one operation's answer. */
interface AnswerDefinition extends ListedResource, Pick<CompositionDefinition<Shape>, 'toolset' | 'render'> {
  readonly operation: AnyOperation;
}

/** Makes a resource of one read. Rules about the tool of that operation hold for it too. */
export const answerResource = ({ operation, toolset, render, ...described }: AnswerDefinition): PlatformResource =>
  lazyResource(described, () => defineTool(operation, { toolset, render, description: described.description }));

/** What is written down of a resource made of several reads. */
interface PlatformResourceDefinition<Input extends Shape> extends ListedResource, Pick<CompositionDefinition<Input>, 'toolset' | 'operations' | 'render'> {
  readonly input: Input;
  readonly read: (args: ArgumentsOf<Input>, context: ToolContext) => Promise<JsonRecord>;
  readonly watched?: WatchSettings;
}

/** Makes a resource of reads. Rules about the toolset, and those that deny the tools of the same operations, hold for it too. */
export const platformResource = <const Input extends Shape>({ name, uri, title, description, watched, read, ...rest }: PlatformResourceDefinition<Input>): PlatformResource =>
  lazyResource({ name, uri, title, description, watched }, () => composeTool({ ...rest, name, description, output: anyRecord, answer: read }));

const listMembers = ['results', 'pagination', 'page', 'page_size'];

/** Facts about a thing, one a line, and below them `{results}`: what it holds, as a table of these columns. */
export function recordWithTable(noun: string, columns: readonly string[], left?: readonly string[]): Renderer {
  const facts = record({ left });
  const held = table(noun, columns);
  return {
    view: (answer) => ({ ...facts.view(omit(answer, listMembers)), ...held.view(answer) }),
    text: (view) => [facts.text(omit(view, listMembers)), held.text(view)].filter(Boolean).join('\n\n'),
    keep: 'first',
  };
}

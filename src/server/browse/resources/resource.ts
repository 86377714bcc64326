import * as z from 'zod';
import type { AnyOperation } from '../../../contract/index.ts';
import type { Approvals, Policy } from '../../guard/index.ts';
import type { Redactor } from '../../redaction/index.ts';
import {
  composeTool,
  defineTool,
  record,
  table,
  type ArgumentsOf,
  type CompositionDefinition,
  type Renderer,
  type Shape,
  type Tool,
  type ToolContext,
} from '../../tool/index.ts';
import type { Texts } from '../texts.ts';
import { omit, type JsonRecord } from '../../json/index.ts';
import type { ListedResource } from './mcp-resources.ts';

/** How changes of a resource are detected. */
interface WatchSettings {
  /** Requests of one poll. */
  readonly requests: number;
  /** Whether the view shows something in progress. */
  readonly isMoving: (view: JsonRecord) => boolean;
}

/** A resource of the platform. It is read through a tool: guarded, redacted, recorded. */
export interface PlatformResource extends ListedResource {
  /** Its arguments are the variables of the template. */
  readonly tool: Tool;
  /** Absent if it can't be watched. */
  readonly watched?: WatchSettings;
}

/** A resource of the platform whose changes are told. */
export type WatchedResource = PlatformResource & Required<Pick<PlatformResource, 'watched'>>;

/** A resource that the server returns without the platform. */
export interface ServerResource extends ListedResource {
  readonly text: (known: { readonly policy: Policy; readonly texts: Texts }) => Promise<string>;
}

/** Who reads a resource that only its owner may read, and what it is read from. */
export interface OwnReading {
  readonly principal: string;
  /** Hides secrets in texts that people wrote. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** The calls that wait for an operator; undefined where none can. */
  readonly approvals?: Pick<Approvals, 'stateOf'> | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What a reader finds at such a resource. */
export interface OwnContent {
  readonly text: string;
  /** The same as codes, for programs. Changes whenever the resource does. */
  readonly state: JsonRecord;
  /** Whether it may still change. */
  readonly isMoving: boolean;
}

/**
 * A resource that is there for one caller only, and that the server returns without the platform. Its changes are told.
 */
export interface OwnResource extends ListedResource {
  /** Reads the one at a URI. @returns undefined if there is nothing, or it is another's. */
  readonly readOwn: (uri: string, reading: OwnReading) => Promise<OwnContent | undefined>;
}

export type Resource = PlatformResource | ServerResource | OwnResource;

export const isPlatformResource = (resource: Resource): resource is PlatformResource => 'tool' in resource;
export const isWatchedResource = (resource: Resource): resource is WatchedResource =>
  isPlatformResource(resource) && resource.watched !== undefined;
export const isOwnResource = (resource: Resource): resource is OwnResource => 'readOwn' in resource;

const anyRecord = z.looseObject({});

/** Creates the tool of a resource when it is first used: most clients read few resources, if any. */
const lazyResource = (
  listed: ListedResource & Pick<PlatformResource, 'watched'>,
  make: () => Tool,
): PlatformResource => {
  let tool: Tool | undefined;
  return {
    ...listed,
    get tool() {
      return (tool ??= { ...make(), isResource: true });
    },
  };
};

/** The definition of a resource that is the response of one operation. */
interface AnswerDefinition extends ListedResource, Pick<CompositionDefinition<Shape>, 'toolset' | 'render'> {
  readonly operation: AnyOperation;
}

/** Defines a resource by one read. Policy rules for the tool of that operation also apply to it. */
export const answerResource = ({ operation, toolset, render, ...listed }: AnswerDefinition): PlatformResource =>
  lazyResource(listed, () => defineTool(operation, { toolset, render, description: listed.description }));

/** The definition of a resource that combines several reads. */
interface PlatformResourceDefinition<Input extends Shape>
  extends ListedResource, Pick<CompositionDefinition<Input>, 'toolset' | 'operations' | 'render'> {
  readonly input: Input;
  readonly read: (args: ArgumentsOf<Input>, context: ToolContext) => Promise<JsonRecord>;
  readonly watched?: WatchSettings;
}

/**
 * Defines a resource by several reads. Policy rules for its toolset, and rules that deny the tools of its operations,
 * also apply to it.
 */
export const platformResource = <const Input extends Shape>({
  name,
  uri,
  title,
  description,
  watched,
  read,
  ...rest
}: PlatformResourceDefinition<Input>): PlatformResource =>
  lazyResource({ name, uri, title, description, watched }, () =>
    composeTool({ ...rest, name, description, output: anyRecord, answer: read }),
  );

const listMembers = ['results', 'pagination', 'page', 'page_size', 'without_pages'];

/** Renders the fields of a record as lines, followed by its `results` as a table with these columns. */
export function recordWithTable(noun: string, columns: readonly string[], omitted?: readonly string[]): Renderer {
  const facts = record({ omitted });
  const rows = table(noun, columns);
  return {
    view: (answer) => ({ ...facts.view(omit(answer, listMembers)), ...rows.view(answer) }),
    text: (view) => [facts.text(omit(view, listMembers)), rows.text(view)].filter(Boolean).join('\n\n'),
    keep: 'first',
  };
}

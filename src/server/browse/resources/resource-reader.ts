import { repeated } from '../../../contract/index.ts';
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Policy } from '../../guard/index.ts';
import { StoreUnavailable } from '../../failure/index.ts';
import { metaKeys, type Reply } from '../../output/index.ts';
import type { Texts } from '../texts.ts';
import type { Tool } from '../../tool/index.ts';
import type { JsonRecord } from '../../json/index.ts';
import { resourceAt } from './catalog.ts';
import { mimeType, type ReadResource } from './mcp-resources.ts';
import { isOwnResource, isPlatformResource, type OwnContent, type OwnReading } from './resource.ts';

/** Runs a call for the sender of a request. */
export type CallFor = (context: ServerContext, tool: Tool, args: JsonRecord) => Promise<Reply>;

/** Dependencies of the resource reader. */
export interface ResourceDependencies {
  readonly policy: Policy;
  readonly call: CallFor;
  /** Who sends a request, for what only they may read. */
  readonly readingFor: (context: ServerContext) => OwnReading;
  /** Texts of the program; without them, resources that consist of texts aren't served. */
  readonly texts?: Texts;
}

/** Failure codes of a read whose resource doesn't exist. */
const notFoundReasons: readonly (string | undefined)[] = ['not_found', 'bad_address'];

/** Whether a failure code means that the resource doesn't exist. */
export const isNotFound = (why: string | undefined): boolean => notFoundReasons.includes(why);

function failure(uri: string, { text, why }: Extract<Reply, { kind: 'failure' }>): ProtocolError {
  return isNotFound(why)
    ? new ResourceNotFoundError(repeated(uri), text)
    : new ProtocolError(ProtocolErrorCode.InternalError, text);
}

const notFound = (uri: string): never => {
  throw new ResourceNotFoundError(repeated(uri));
};

/** A store that servers share fails whatever is read from it; everything else is a fault of this server. */
const unavailable = (error: unknown): never => {
  throw error instanceof StoreUnavailable
    ? new ProtocolError(
        ProtocolErrorCode.InternalError,
        "This server can't use the database that it shares with other servers. Read it again in a minute.",
      )
    : error;
};

async function contentAt(
  uri: string,
  context: ServerContext,
  { call, policy, texts, readingFor }: ResourceDependencies,
): Promise<Pick<OwnContent, 'text'> & Partial<OwnContent>> {
  const { resource, args } = resourceAt(uri) ?? notFound(uri);
  if (isOwnResource(resource))
    return (await resource.readOwn(uri, readingFor(context)).catch(unavailable)) ?? notFound(uri);
  if (!isPlatformResource(resource)) return { text: await resource.text({ policy, texts: texts! }) };
  const reply = await call(context, resource.tool, args);
  if (reply.kind === 'answer') return { text: reply.text };
  throw reply.kind === 'failure' ? failure(uri, reply) : new Error(`${resource.name} would ask for confirmation`);
}

/** Creates the reader of resources. It calls the platform only when a resource is read. */
export const resourceReader =
  (dependencies: ResourceDependencies): ReadResource =>
  async (url, context) => {
    const { text, state } = await contentAt(url.href, context, dependencies);
    const content = { uri: url.href, mimeType, text, ...(state && { _meta: { [metaKeys.approval]: state } }) };
    return { contents: [content] };
  };

import { type ForeignCall, problemsOf, problemsOfResource } from './call.ts';
import { changingCalls } from './changing-calls.ts';
import { deletingCalls } from './deleting-calls.ts';
import { deployingCalls } from './deploying-calls.ts';
import type { ForeignServer } from './foreign-server.ts';
import { readingCalls, resourceUris } from './reading-calls.ts';

/** Something that a client asks a server for: a call of a tool, or the text of a resource. */
export interface Asked {
  /** What no other one is called. */
  readonly label: string;
  /** The tool of a call. */
  readonly tool?: string;
  /** Whether it is made on this platform. */
  readonly isMade: (server: Pick<ForeignServer, 'on'>) => boolean;
  /** Makes it, and tells what is wrong. */
  readonly problems: (server: ForeignServer) => Promise<string[]>;
}

const ofCall = (call: ForeignCall): Asked => ({
  label: call.case === undefined ? call.tool : `${call.tool} (${call.case})`,
  tool: call.tool,
  isMade: ({ on }) => call.where?.(on) ?? true,
  problems: (server) => problemsOf(server, call),
});

/** Everything that is asked, in its order: what is asked later may find what was changed before. */
export const everything: readonly Asked[] = [
  ...resourceUris.map((uri): Asked => ({
    label: uri,
    isMade: () => true,
    problems: (server) => problemsOfResource(server, uri),
  })),
  ...[...readingCalls, ...changingCalls, ...deployingCalls, ...deletingCalls].map(ofCall),
];

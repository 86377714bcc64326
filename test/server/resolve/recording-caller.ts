import { createReader, type SendRead } from '../../../src/server/context/reader.ts';
import { createClient } from '../../../src/client/client.ts';
import { credentialOf } from '../../../src/client/index.ts';
import type { AnyOperation } from '../../../src/contract/index.ts';
import type { NameResolver, Lookup } from '../../../src/server/tool/index.ts';
import type { JsonRecord } from '../../../src/server/json/index.ts';
import { type ResolutionProblem, CallFailure } from '../../../src/server/failure/index.ts';

/** Reads by this function, and keeps nothing: every call of a tool has a reader of its own. */
export const readerBy = (send: SendRead): Lookup['reader'] => ({
  read: async (operation, input) => createReader(send).read(operation, input),
  attempt: async (operation, input) => createReader(send).attempt(operation, input),
});

/** A caller of a platform: how it looks things up, and what was asked of the platform for it. */
export interface RecordingCaller {
  readonly lookup: Lookup;
  /** Names of the operations asked for, in order. */
  readonly operations: string[];
  /** Calls an operation as tools do. */
  readonly call: (operation: AnyOperation, input: JsonRecord) => Promise<JsonRecord>;
  readonly close: () => Promise<void>;
}

/** A caller with a real client; what is answered is learned, as in the pipeline. */
export function recordingCaller(
  url: string,
  token: string,
  addresses: NameResolver,
  { principal = 'ann', within, now = Date.now }: Partial<Lookup> = {},
): RecordingCaller {
  const client = createClient({ baseUrl: url, credential: credentialOf(token) });
  const asked: string[] = [];
  const call = async (operation: AnyOperation, input: JsonRecord): Promise<JsonRecord> => {
    asked.push(operation.name);
    const answer: unknown = await client.call(operation, input);
    addresses.learn(operation, input, answer, principal);
    return answer as JsonRecord;
  };
  return {
    lookup: { principal, reader: readerBy(call), now, within },
    operations: asked,
    call,
    close: () => client.close(),
  };
}

/** What is wrong with an address. */
export async function resolutionProblem(resolving: Promise<unknown>): Promise<ResolutionProblem> {
  try {
    await resolving;
  } catch (error) {
    if (error instanceof CallFailure && error.failure.kind === 'bad_address') return error.failure.problem;
    throw error;
  }
  throw new Error('it stands for something');
}

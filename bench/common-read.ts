import type { OperationName } from '../src/contract/index.ts';

type Ids = Readonly<Record<string, string>>;

/** A read operation that can be called on the platform directly, or through the tool of the same name. */
export interface PlatformRead {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A typical read of assistants: the first page of a list. */
export const commonRead = ({ organization_id }: Ids): PlatformRead => ({
  operation: 'list_projects',
  input: { organization_id, page: 1, page_size: 20 },
});

/** The parameters of `tools/call` for a read. */
export const toolCall = ({ operation, input }: PlatformRead) => ({ name: operation, arguments: input });

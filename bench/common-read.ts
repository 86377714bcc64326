import type { OperationName } from '../src/contract/operations.ts';

type Ids = Readonly<Record<string, string>>;

/** A read that can be made of the platform directly, and through a tool of the same name. */
export interface PlatformRead {
  readonly operation: OperationName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What assistants read most: the first page of a list. */
export const commonRead = ({ organization_id }: Ids): PlatformRead => ({ operation: 'list_projects', input: { organization_id, page: 1, page_size: 20 } });

/** A read as a call of its tool. */
export const toolCall = ({ operation, input }: PlatformRead) => ({ name: operation, arguments: input });

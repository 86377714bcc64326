import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { textOf } from './mcp-clients.ts';
import type { Json, TestPlatform } from './test-platform.ts';

type Call = (tool: string, args: Json) => Promise<CallToolResult>;

/**
 * Calls that have to succeed.
 * @param call makes one
 * @param look examines each whole result
 * @returns a function that makes such a call and returns its structured content
 */
export const succeeding =
  (call: Call, look: (result: CallToolResult) => void = () => undefined) =>
  async (tool: string, args: Json = {}): Promise<Json> => {
    const result = await call(tool, args);
    expect(result.isError, textOf(result)).toBeFalsy();
    look(result);
    return result.structuredContent as Json;
  };

/** The newest event of the organization. */
export const newestEventOf = async ({
  must,
  organizationId,
}: Pick<TestPlatform, 'must' | 'organizationId'>): Promise<Json> =>
  ((await must('list_events', { organization_id: organizationId }))['events'] as Json[])[0]!;

import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { Connectors } from './connectors.ts';
import { agree, failureIn, textOf, userAnswering } from './mcp-clients.ts';
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

/** What became of a change: the warnings and effects of its plan, what was asked, and its answer. */
interface MadeChange {
  readonly warnings?: readonly Json[];
  readonly effects: readonly string[];
  readonly question: string;
  readonly text: string;
  readonly answer: Json & { readonly effects?: readonly string[] };
}

/** Makes a change, after its dry run, with a user who agrees. Both have to succeed. */
export async function changeAgreedTo(connectors: Connectors, tool: string, args: Json): Promise<MadeChange> {
  const user = userAnswering(agree);
  const client = await connectors.modern(user);
  const planned = await client.call(tool, { ...args, dry_run: true });
  expect(failureIn(planned), textOf(planned)).toBeUndefined();
  const { warnings, effects } = (planned.structuredContent as { dry_run: Pick<MadeChange, 'warnings' | 'effects'> })
    .dry_run;
  const result = await client.call(tool, args);
  expect(failureIn(result), textOf(result)).toBeUndefined();
  return {
    warnings,
    effects,
    question: user.questions[0]?.message ?? '',
    text: textOf(result),
    answer: result.structuredContent as MadeChange['answer'],
  };
}

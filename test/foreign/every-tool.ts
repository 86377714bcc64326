import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import type { Choice } from '../other-platform/differences.ts';
import { problemsOf, problemsOfResource } from './call.ts';
import { changingCalls } from './changing-calls.ts';
import { deletingCalls } from './deleting-calls.ts';
import { deployingCalls } from './deploying-calls.ts';
import { startForeignServer } from './foreign-server.ts';
import { readingCalls, resourceUris } from './reading-calls.ts';

const calls = [...readingCalls, ...changingCalls, ...deployingCalls, ...deletingCalls];

/** Makes every call and reads every resource, one after the other, and collects what is wrong with them. */
async function problemsWith(differences: Choice): Promise<string[]> {
  const server = await startForeignServer(differences);
  try {
    const problems: string[] = [];
    /* oxlint-disable no-await-in-loop -- each call finds what the ones before it left. */
    for (const uri of resourceUris) problems.push(...(await problemsOfResource(server, uri)));
    for (const call of calls) if (call.where?.(server.on) ?? true) problems.push(...(await problemsOf(server, call)));
    /* oxlint-enable no-await-in-loop */
    return problems;
  } finally {
    await server.close();
  }
}

/** Tests that every tool and resource is right on a platform with these differences. */
export function testEveryTool(choices: readonly (readonly [name: string, differences: Choice])[]): void {
  test('there is a call of every tool', () => {
    expect(tools.map(({ name }) => name).filter((name) => !calls.some(({ tool }) => tool === name))).toEqual([]);
  });

  test.concurrent.each(choices)('every tool is right where it is different in: %s', async (_, differences) => {
    const problems = await problemsWith(differences);
    expect(problems, problems.join('\n')).toEqual([]);
  });
}

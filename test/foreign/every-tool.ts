import { expect, test } from 'vitest';
import { tools } from '../../tools/index.ts';
import type { Choice } from '../other-platform/differences.ts';
import { isLanding } from '../suites.ts';
import { everything } from './calls.ts';
import { startForeignServer } from './foreign-server.ts';
import { askedOf } from './touched.ts';

/**
 * Makes calls and reads resources, one after the other, and collects what is wrong with them. Before a landing, a
 * single difference gets the calls that it touches.
 */
async function problemsWith(differences: Choice): Promise<string[]> {
  const server = await startForeignServer(differences);
  try {
    const problems: string[] = [];
    // Each call finds what the ones before it left.
    for (const asked of askedOf(differences, isLanding)) problems.push(...(await asked.problems(server)));
    return problems;
  } finally {
    await server.close();
  }
}

/** Tests that every tool and resource is right on a platform with these differences. */
export function testEveryTool(choices: readonly (readonly [name: string, differences: Choice])[]): void {
  test('there is a call of every tool', () => {
    expect(tools.map(({ name }) => name).filter((name) => !everything.some(({ tool }) => tool === name))).toEqual([]);
  });

  test.concurrent.each(choices)('every tool is right where it is different in: %s', async (_, differences) => {
    const problems = await problemsWith(differences);
    expect(problems, problems.join('\n')).toEqual([]);
  });
}

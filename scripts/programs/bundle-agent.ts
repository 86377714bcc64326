import { join } from 'node:path';
import { build } from 'esbuild';
import manifest from '../../package.json' with { type: 'json' };

/** Where the agent's program is, and what is generated from it. */
export const agentFolder = join(import.meta.dirname, '../../src/platform/runtime/docker/agent');

/** The agent's program as one file, which Node runs as it is. */
export async function bundleAgent(): Promise<string> {
  const { outputFiles } = await build({
    write: false,
    absWorkingDir: join(agentFolder, 'program'),
    entryPoints: ['main.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: manifest.engines.node.replace('>=', 'node'),
    charset: 'utf8',
    legalComments: 'none',
  });
  return outputFiles[0]!.text;
}

/** The module that has it. */
export const agentModule = (program: string): string =>
  `/** Written by npm run programs: the agent's program as one file. */\nexport const agentProgram = ${JSON.stringify(program)};\n`;

/**
 * Compiles the programs for containers and bundles the one of the agents, and writes them with their checksums beside
 * their sources. Needs the compilers for all kinds of CPU.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFolder, agentModule, bundleAgent } from './programs/bundle-agent.ts';
import {
  architectures,
  checksum,
  compileProgram,
  compilerVersion,
  programNames,
  programsFolder,
  sourceChecksums,
} from './programs/compile.ts';

const compilers = Object.fromEntries(
  await Promise.all(
    architectures.map(async (architecture) => [architecture, await compilerVersion(architecture)] as const),
  ),
);
const missing = architectures.filter((architecture) => compilers[architecture] === undefined);
if (missing.length > 0) {
  const packages = missing.map((architecture) => `gcc-${architecture.replace('_', '-')}-linux-gnu`).join(' ');
  throw new Error(`Compilers are missing. Install them with: apt-get install --no-install-recommends ${packages}`);
}

const programs = await Promise.all(
  programNames.flatMap((name) =>
    architectures.map(async (architecture) => ({
      key: `${name}-${architecture}`,
      content: await compileProgram(name, architecture),
    })),
  ),
);
const lines = programs.map(({ key, content }) => `  '${key}': '${content.toString('base64')}',\n`);
await writeFile(
  join(programsFolder, 'compiled.ts'),
  `/** Written by npm run programs: the programs of this folder in base64, by name and kind of CPU. */
export const compiledPrograms = {\n${lines.join('')}} as const;
`,
);
const checksums = {
  compilers,
  sources: await sourceChecksums(),
  programs: Object.fromEntries(programs.map(({ key, content }) => [key, checksum(content)])),
};
await writeFile(join(programsFolder, 'checksums.json'), `${JSON.stringify(checksums, null, 2)}\n`);
const agent = await bundleAgent();
await writeFile(join(agentFolder, 'compiled.ts'), agentModule(agent));
for (const { key, content } of [...programs, { key: 'agent', content: agent }])
  console.log(`${String(content.length).padStart(7)} bytes  ${key}`);

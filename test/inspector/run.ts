/**
 * Has the Inspector look at the tools as clients of both eras are given them over stdio, with and without views. Any
 * finding fails, also one it only warns of.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import inspector from '@modelcontextprotocol/inspector/package.json' with { type: 'json' };

const eras = ['legacy', 'modern'] as const;
type Era = (typeof eras)[number];

const root = join(import.meta.dirname, '../..');
const program = fileURLToPath(
  new URL(inspector.bin['mcp-inspector'], import.meta.resolve('@modelcontextprotocol/inspector/package.json')),
);
const server = [process.execPath, '--import', import.meta.resolve('tsx'), join(root, 'src/main.ts')];

/** How long it waits for the server, in milliseconds: a machine may be slow. */
const connectTimeout = 300_000;

interface Inspection {
  readonly code: number;
  /** What it printed: the list of tools. */
  readonly listed: string;
  /** What it found. */
  readonly findings: string;
}

const inspect = (era: Era, dataDir: string, showsViews: boolean): Promise<Inspection> =>
  new Promise((resolve) => {
    const asked = [
      '--cli',
      ...(showsViews ? ['--advertise-apps'] : []),
      '--protocol-era',
      era,
      '-e',
      `INFRA_DATA_DIR=${dataDir}`,
      '--method',
      'tools/list',
      '--strict',
      '--connect-timeout',
      String(connectTimeout),
      '--format',
      'json',
      '--',
      ...server,
    ];
    const child = execFile(
      process.execPath,
      [program, ...asked],
      { maxBuffer: 64 * 1024 * 1024 },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? 1, listed: stdout, findings: stderr.trim() }),
    );
  });

/** How many tools are in a list as the Inspector prints it; none when it printed something else. */
const toolsIn = (listed: string): number => {
  try {
    return (JSON.parse(listed) as { result: { tools: unknown[] } }).result.tools.length;
  } catch {
    return 0;
  }
};

async function examine([era, showsViews]: readonly [Era, boolean]): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'infra-mcp-inspector-'));
  try {
    const { code, listed, findings } = await inspect(era, dataDir, showsViews);
    const tools = toolsIn(listed);
    const passed = code === 0 && findings === '' && tools > 0 && listed.includes('ui://') === showsViews;
    console.log(
      `${passed ? 'ok' : 'NOT OK'}: Inspector ${inspector.version}, ${era} era, ${showsViews ? 'with' : 'without'} views: ${tools} tools`,
    );
    if (!passed) console.log(`It ended with ${code}.\n${findings}`);
    return passed;
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

const passed = await Promise.all(eras.flatMap((era) => [[era, false] as const, [era, true] as const]).map(examine));
process.exitCode = passed.every(Boolean) ? 0 : 1;

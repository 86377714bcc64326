import {
  SkillsExtension,
  type Skill,
  type SkillCatalog,
  type SkillFiles,
} from '@modelcontextprotocol/server/ext/skills';
import type { ServerLogger } from '../context/index.ts';
import { refuseCursor } from '../output/index.ts';
import { mimeType } from './resources/mcp-resources.ts';
import { withWarning } from '../tool/index.ts';
import { rethrowAsUnavailable, type Texts } from './texts.ts';

/**
 * How long clients may cache a skill, in milliseconds: it changes with the program and with the tools that a server
 * offers.
 */
const lifetime = 3_600_000;

/** The list entry of a skill's file as a resource. */
const skillResource = ({
  uri,
  frontmatter: { name, description },
}: Skill): { uri: string; name: string; description: string; mimeType: string } => ({
  uri,
  name,
  description,
  mimeType,
});

interface SkillOptions {
  readonly log: ServerLogger;
  /** Names of hidden tools: skills that name them get a warning. */
  readonly hidden: readonly string[];
}

const frontMatter = /^---\n[\s\S]*?\n---\n+/;

/** Adds a warning to each file that names hidden tools. */
const withWarnings = (files: SkillFiles, hidden: readonly string[]): SkillFiles => ({
  ...files,
  read: async (path) => {
    const text = new TextDecoder().decode(await files.read(path));
    const [head = ''] = frontMatter.exec(text) ?? [];
    return new TextEncoder().encode(head + withWarning(text.slice(head.length), hidden));
  },
});

/** Creates the skills extension for the program's skills. Their folder is read with the first request. */
export function createSkills(
  { skills: folder }: Pick<Texts, 'skills'>,
  { log, hidden }: SkillOptions,
): SkillsExtension {
  let loading: Promise<{ catalog: SkillCatalog; files: SkillFiles }> | undefined;

  const load = async () => {
    const { nodeSkillFiles } = await import('@modelcontextprotocol/server/ext/skills/node');
    const files = withWarnings(nodeSkillFiles(folder), hidden);
    return { catalog: await SkillsExtension.load(files, { strict: true }), files };
  };
  const loaded = () => (loading ??= load().catch(rethrowAsUnavailable('skills', log)));
  const find = async (uri: string): Promise<Skill | undefined> =>
    (await loaded()).catalog.entries.find((skill) => skill.uri === uri);

  return new SkillsExtension({
    cacheHint: { ttlMs: lifetime, cacheScope: 'private' },
    strict: true,
    source: {
      list: async ({ cursor }) => {
        refuseCursor(cursor);
        return { skills: [...(await loaded()).catalog.entries] };
      },
      get: find,
      read: async (uri) => {
        if (!(await find(uri))) return undefined;
        const { files } = await loaded();
        return { text: new TextDecoder().decode(await files.read(uri.replace('skill://', ''))), mimeType };
      },
      listResources: async () => (await loaded()).catalog.entries.map(skillResource),
    },
  });
}

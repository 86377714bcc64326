import { SkillsExtension, type Skill, type SkillCatalog, type SkillFiles } from '@modelcontextprotocol/server/ext/skills';
import type { Log } from './context.ts';
import { mimeType } from './resources/listed.ts';
import { unavailable, type Texts } from './texts.ts';

/** How long clients may keep a skill, in milliseconds: it changes with the program. */
const lifetime = 3_600_000;

/** The file of a skill, as the resource it is. */
const resourceOf = ({ uri, frontmatter: { name, description } }: Skill): { uri: string; name: string; description: string; mimeType: string } => ({
  uri, name, description, mimeType,
});

/** The skills that come with the program, the same for everybody. Their folder is read when somebody first asks. */
export function skillsOf({ skills: folder }: Pick<Texts, 'skills'>, log: Log): SkillsExtension {
  let loading: Promise<{ catalog: SkillCatalog; files: SkillFiles }> | undefined;

  const load = async () => {
    const { loadSkills, nodeSkillFiles } = await import('@modelcontextprotocol/server/ext/skills/node');
    return { catalog: await loadSkills(folder, { strict: true }), files: nodeSkillFiles(folder) };
  };
  const loaded = () => (loading ??= load().catch(unavailable('skills', log)));
  const find = async (uri: string): Promise<Skill | undefined> => (await loaded()).catalog.entries.find((skill) => skill.uri === uri);

  return new SkillsExtension({
    cacheHint: { ttlMs: lifetime, cacheScope: 'public' },
    strict: true,
    source: {
      list: async () => ({ skills: [...(await loaded()).catalog.entries] }),
      get: find,
      read: async (uri) => {
        if (!(await find(uri))) return undefined;
        const { files } = await loaded();
        return { text: new TextDecoder().decode(await files.read(uri.replace('skill://', ''))), mimeType };
      },
      listResources: async () => (await loaded()).catalog.entries.map(resourceOf),
    },
  });
}

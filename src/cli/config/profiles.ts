import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import * as z from 'zod';
import { type CommandName, path } from './fields.ts';
import { directlyGiven, type GivenFlags, type Profile, profileOptions } from './given-options.ts';
import type { OptionName } from './option-help.ts';

const value = () => z.union([z.string(), z.number(), z.boolean(), z.array(z.string()).transform((list) => list.join(','))]).transform(String);
const profilesSchema = () => z.strictObject({ profiles: z.record(z.string().regex(/^[\w-]+$/, 'must be made of letters, digits, - and _'), z.record(z.string(), value())) });

/** The token itself. Taken only from a file that nobody else can read. */
const tokenKey = 'api-token';

/** Names the environment variable that holds the token. */
const variableKey = 'api-token-variable';

const keys = [...profileOptions.keys(), variableKey];

const defaultFile = ({ XDG_CONFIG_HOME: xdg }: NodeJS.ProcessEnv): string =>
  join(xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.config'), 'infra-mcp', 'profiles.yaml');

// Names that differ by a third of their letters or more weren't meant.
function suggestionFor(name: string, known: readonly string[]): string {
  const near = known.length > 0 ? closest(name, [...known]) : undefined;
  return near !== undefined && distance(name, near) <= Math.max(2, near.length / 3) ? `did you mean ${near}?` : `there are ${known.join(', ') || 'none'}.`;
}

const othersMayRead = async (file: string): Promise<boolean> => process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;

async function readProfilesFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(`A profile is chosen, and there is no file of profiles at ${file}. Write one, or name it with INFRA_PROFILES_FILE.`, { cause: error });
  }
}

type Profiles = z.output<ReturnType<typeof profilesSchema>>['profiles'];

/** Every profile of a file. @throws Error that names the file and what is wrong with it, without repeating values. */
async function readProfiles(file: string): Promise<Profiles> {
  const { parse } = (await import('yaml')).default;
  const text = await readProfilesFile(file);
  let written: unknown;
  try {
    written = parse(text, { logLevel: 'error', prettyErrors: false });
  } catch {
    throw new Error(`${file} is not YAML. docs/profiles.md shows what profiles look like.`);
  }
  const read = profilesSchema().safeParse(written);
  if (!read.success) throw new Error(read.error.issues.map((issue) => `${file}: ${issue.path.join('.') || 'the file'}: ${issue.message}`).join('\n'));
  const faults = Object.entries(read.data.profiles).flatMap(([name, members]) =>
    Object.keys(members).filter((key) => !keys.includes(key)).map((key) => `${file}: profiles.${name}.${key} is no option; ${suggestionFor(key, keys)}`),
  );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return read.data.profiles;
}

/** Paths are written relative to the file they stand in. */
const resolvedPath = (key: string, text: string, file: string): string =>
  profileOptions.get(key)?.createSchema === path && !text.startsWith('~') ? resolve(dirname(file), text) : text;

/** The members of a profile as texts of options, with the token taken from where it is. */
async function profileTexts(name: string, { [variableKey]: variable, ...members }: Profiles[string], file: string, env: NodeJS.ProcessEnv): Promise<Profile['texts']> {
  if (tokenKey in members && (await othersMayRead(file))) {
    throw new Error(`${file} holds the token of the profile ${name}, and others may read it. Make it private with: chmod 600 ${file}`);
  }
  const texts = Object.fromEntries(Object.entries(members).map(([key, text]) => [key, resolvedPath(key, text, file)]));
  if (variable === undefined) return texts;
  if (tokenKey in members) throw new Error(`The profile ${name} gives ${tokenKey} and ${variableKey}. Leave one out.`);
  const token = env[variable];
  if (!token) throw new Error(`The profile ${name} takes its token from the environment variable ${variable}, which is not set.`);
  return { ...texts, [tokenKey]: token };
}

/** The names of the profiles there are; none where their file can't be used: whoever chooses one is told why. */
export async function profileNames(env: NodeJS.ProcessEnv, file: string | undefined): Promise<readonly string[]> {
  const profiles = await readProfiles(path().parse(file ?? env['INFRA_PROFILES_FILE'] ?? defaultFile(env))).catch(() => ({}));
  return Object.keys(profiles);
}

/**
 * The profile that a command is told to use; undefined where it isn't told to, or takes none.
 * @throws Error when there is no such profile, or the file of profiles can't be used.
 */
export async function chosenProfile(command: CommandName, flags: GivenFlags, env: NodeJS.ProcessEnv): Promise<Profile | undefined> {
  const given = directlyGiven(command, flags, env);
  const textFor = (wanted: OptionName): string | undefined => given.find(({ option }) => option.name === wanted)?.text.trim();
  const name = textFor('profile');
  // An empty name is told of with the other options.
  if (!name) return undefined;
  const file = path().parse(textFor('profilesFile') ?? defaultFile(env));
  const profiles = await readProfiles(file);
  const members = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!members) throw new Error(`There is no profile "${name}" in ${file}; ${suggestionFor(name, Object.keys(profiles))}`);
  return { name, texts: await profileTexts(name, members, file, env) };
}

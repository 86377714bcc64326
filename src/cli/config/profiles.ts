import { readFile, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { homeFolder } from '../../files/index.ts';
import * as z from 'zod';
import { decodedText, issueTexts, nearestName, Utf16Text } from '../../contract/index.ts';
import { type CommandName, path } from './fields.ts';
import { pageLink } from './page-links.ts';
import { directlyGiven, type GivenFlags, type Profile, profileOptions } from './given-options.ts';
import type { OptionName } from './option-help.ts';

const value = () =>
  z
    .union([z.string(), z.number(), z.boolean(), z.array(z.string()).transform((list) => list.join(','))])
    .transform(String);
const noProfiles = (what: string) => (issue: { readonly code?: string | undefined }) =>
  issue.code === 'invalid_type'
    ? `must have ${what}; ${pageLink('profiles')} shows what profiles look like`
    : undefined;
const profilesSchema = () =>
  z.strictObject(
    {
      profiles: z.record(
        z.string().regex(/^[\w-]+$/, 'may only contain letters, digits, - and _'),
        z.record(z.string(), value(), { error: noProfiles('options, by their names') }),
        { error: noProfiles('profiles, by their names') },
      ),
    },
    { error: noProfiles('profiles, by their names, under "profiles:"') },
  );

/** Holds the token itself. Accepted only in a file that no other user can read. */
const tokenKey = 'api-token';

/** Names the environment variable with the token. */
const variableKey = 'api-token-variable';

const keys = [...profileOptions.keys(), variableKey];

const defaultFile = ({ XDG_CONFIG_HOME: xdg }: NodeJS.ProcessEnv): string =>
  join(xdg && isAbsolute(xdg) ? xdg : join(homeFolder(), '.config'), 'infra-mcp', 'profiles.yaml');

function suggestionFor(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? `there are ${known.join(', ') || 'none'}.` : `did you mean ${near}?`;
}

const othersMayRead = async (file: string): Promise<boolean> =>
  process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;

async function readProfilesFile(file: string): Promise<string> {
  try {
    return decodedText(await readFile(file));
  } catch (error) {
    if (error instanceof Utf16Text) throw new Error(`${file} can't be read: ${error.message}.`, { cause: error });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error(
      `A profile is selected, but there is no profiles file at ${file}. Create it, or set INFRA_PROFILES_FILE.`,
      { cause: error },
    );
  }
}

type Profiles = z.output<ReturnType<typeof profilesSchema>>['profiles'];

/** Reads every profile of a file. @throws Error that names the file and the problem, without repeating values. */
async function readProfiles(file: string): Promise<Profiles> {
  const { parse } = (await import('yaml')).default;
  const text = await readProfilesFile(file);
  let parsed: unknown;
  try {
    parsed = parse(text, { logLevel: 'error', prettyErrors: false });
  } catch {
    throw new Error(`${file} is not YAML. ${pageLink('profiles')} shows what profiles look like.`);
  }
  const result = profilesSchema().safeParse(parsed);
  if (!result.success)
    throw new Error(
      issueTexts(result.error, 'the file', profilesSchema())
        .map((fault) => `${file}: ${fault}`)
        .join('\n'),
    );
  const faults = Object.entries(result.data.profiles).flatMap(([name, members]) =>
    Object.keys(members)
      .filter((key) => !keys.includes(key))
      .map((key) => `${file}: profiles.${name}.${key} is not an option; ${suggestionFor(key, keys)}`),
  );
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return result.data.profiles;
}

/** Resolves the paths of a profile relative to the profiles file. */
const resolvedPath = (key: string, text: string, file: string): string =>
  profileOptions.get(key)?.createSchema === path && !text.startsWith('~') ? resolve(dirname(file), text) : text;

/** The members of a profile as option texts, with the token read from its environment variable if it names one. */
async function profileTexts(
  name: string,
  { [variableKey]: variable, ...members }: Profiles[string],
  file: string,
  env: NodeJS.ProcessEnv,
): Promise<Profile['texts']> {
  if (tokenKey in members && (await othersMayRead(file))) {
    throw new Error(
      `${file} contains the token of the profile ${name}, and other users can read it. Make it private with: chmod 600 ${file}`,
    );
  }
  const texts = Object.fromEntries(Object.entries(members).map(([key, text]) => [key, resolvedPath(key, text, file)]));
  if (variable === undefined) return texts;
  if (tokenKey in members) throw new Error(`The profile ${name} sets both ${tokenKey} and ${variableKey}. Remove one.`);
  const token = env[variable];
  if (!token)
    throw new Error(`The profile ${name} takes its token from the environment variable ${variable}, which is not set.`);
  return { ...texts, [tokenKey]: token };
}

/**
 * The names of all profiles, for completion; empty if the file can't be used. That error is reported when a profile is
 * chosen.
 */
export async function profileNames(env: NodeJS.ProcessEnv, file: string | undefined): Promise<readonly string[]> {
  const profiles = await readProfiles(path().parse(file ?? env['INFRA_PROFILES_FILE'] ?? defaultFile(env))).catch(
    () => ({}),
  );
  return Object.keys(profiles);
}

/**
 * The selected profile; undefined if none is selected or the command takes none.
 * @throws Error if there is no such profile, or the profiles file can't be used.
 */
export async function chosenProfile(
  command: CommandName,
  flags: GivenFlags,
  env: NodeJS.ProcessEnv,
): Promise<Profile | undefined> {
  const given = directlyGiven(command, flags, env);
  const textFor = (option: OptionName): string | undefined =>
    given.find((one) => one.option.name === option)?.text.trim();
  const name = textFor('profile');
  // An empty name is reported with the other options.
  if (!name) return undefined;
  const file = path().parse(textFor('profilesFile') ?? defaultFile(env));
  const profiles = await readProfiles(file);
  const members = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (!members)
    throw new Error(`There is no profile "${name}" in ${file}; ${suggestionFor(name, Object.keys(profiles))}`);
  return { name, texts: await profileTexts(name, members, file, env) };
}

import { hiddenSecret, isVisibleCredential } from '../../../contract/index.ts';
import type { Vault } from '../../store/index.ts';

/** Credentials in a request, by the names of their members. */
type Credentials = Readonly<Record<string, string | number | undefined>>;

/** Credentials as they are stored: those that responses may show, and the sealed rest; null if there is none. */
interface StoredCredentials {
  readonly config: string;
  readonly sealed_config: string | null;
}

const pickMembers = (
  config: Credentials,
  keep: (name: string, value: string | number) => boolean,
): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(config).flatMap(([name, value]) =>
      value !== undefined && keep(name, value) ? [[name, value] as const] : [],
    ),
  );

/**
 * The columns of credentials. A secret that isn't given, or is given as it is shown, stays as it is stored, because it
 * can't be read; one that is given as an empty text is removed.
 */
export function credentialColumns(
  kind: Parameters<typeof isVisibleCredential>[0],
  config: Credentials,
  vault: Vault,
  sealed: string | null = null,
): StoredCredentials {
  const isVisible = (name: string): boolean => isVisibleCredential(kind, name);
  const visible = { config: JSON.stringify(pickMembers(config, isVisible)) };
  const stored = sealed === null ? {} : (JSON.parse(vault.open(sealed)) as Credentials);
  const given = pickMembers(config, (name, value) => !isVisible(name) && value !== hiddenSecret);
  if (Object.keys(given).length === 0) return { ...visible, sealed_config: sealed };
  const secrets = pickMembers({ ...stored, ...given }, (_, value) => value !== '');
  return { ...visible, sealed_config: Object.keys(secrets).length === 0 ? null : vault.seal(JSON.stringify(secrets)) };
}

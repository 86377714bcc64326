import { readsOfSecretsSeen, secretsSeenIn } from '../../context/index.ts';
import { reading, readUses } from '../reads.ts';
import { notKnown, showName, type Preview } from './preview.ts';

const line = (which: string, keys: readonly string[]): readonly string[] =>
  keys.length === 0 ? [] : [`Its code will see these ${which}: ${keys.map(showName).join(', ')}.`];

/**
 * Which secrets the code of a new service sees, by key: those of the project, with the environments of production that
 * share them, those of the environment, and those that the platform provides.
 */
export const secretsSeen: Preview = reading(
  readUses('the plan does not show which secrets a new service sees', ...readsOfSecretsSeen),
  async (_, { target: { kind, id, project }, reader }) => {
    if (kind !== 'environment' || id === undefined) return [];
    const { keys, production } = await secretsSeenIn(id, project?.id, reader);
    if (!keys) return [notKnown('which secrets of its project and environment it will see')];
    const others = production?.map(({ id: other, name }) => showName(name ?? other ?? '')) ?? [];
    return [
      ...line('secrets of the project', keys.outside),
      ...(others.length > 0 ? [`Environments that are or may be PRODUCTION see them too: ${others.join(', ')}.`] : []),
      ...(production ? [] : [notKnown('whether production sees the same secrets')]),
      ...line('secrets of the environment', keys.own),
      ...(keys.builtIn
        ? line('built-in secrets', keys.builtIn)
        : [notKnown('which built-in secrets it will see, such as passwords of databases')]),
    ];
  },
);

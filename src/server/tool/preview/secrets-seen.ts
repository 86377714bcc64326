import { readsOfSecretsFromOutside, secretsFromOutside } from '../../context/index.ts';
import { reading, readUses } from '../reads.ts';
import { notKnown, showName, type Preview } from './preview.ts';

/** Which secrets of the project the code of a new service sees, by key, and which environments of production share them. */
export const secretsSeen: Preview = reading(
  readUses('the plan does not show which secrets of its project a new service sees', ...readsOfSecretsFromOutside),
  async (_, { target: { kind, id, project }, reader }) => {
    if (kind !== 'environment' || id === undefined) return [];
    const { keys, production } = await secretsFromOutside(id, project?.id, reader);
    if (!keys) return [notKnown('which secrets of its project it will see')];
    if (keys.length === 0) return [];
    const others = production?.map(({ id: other, name }) => showName(name ?? other ?? '')) ?? [];
    return [
      `Its code will see these secrets of the project: ${keys.map(showName).join(', ')}.`,
      ...(others.length > 0 ? [`Environments that are or may be PRODUCTION see them too: ${others.join(', ')}.`] : []),
      ...(production ? [] : [notKnown('whether production sees the same secrets')]),
    ];
  },
);

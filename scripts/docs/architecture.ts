import { type Room, rooms } from '../../test/rooms.ts';
import { code, markdownTable } from './markdown.ts';

const idOf = ({ name }: Room): string => name.replaceAll(/\W+/g, '_');

/** The room that contains a path. */
const roomOf = (path: string): Room | undefined =>
  rooms.find(({ home }) => home.some((place) => place === path || (place.endsWith('/') && path.startsWith(place))));

/** The rooms that a room may import from. */
const importableRooms = (room: Room): Room[] => [...new Set(room.mayImport.flatMap((path) => roomOf(path) ?? []))].filter((other) => other !== room);

/** The rooms as a Mermaid diagram: arrows point to rooms that may be imported. */
const diagram = (): string =>
  [
    'flowchart TD',
    ...rooms.map((room) => `  ${idOf(room)}["${room.name}<br/>${room.home.join(', ')}"]`),
    ...rooms.flatMap((room) => importableRooms(room).map((other) => `  ${idOf(room)} --> ${idOf(other)}`)),
  ].join('\n');

/** The rooms and their allowed imports, from the same data as the architecture test. */
export const architecture = (): string =>
  [
    `\`\`\`mermaid\n${diagram()}\n\`\`\``,
    markdownTable(
      ['Room', 'Home', 'May import', 'Packages'],
      rooms.map(({ name, home, mayImport, packages }) => [
        name, home.map(code).join(', '), mayImport.filter((path) => !home.includes(path)).map(code).join(', '), packages?.map(code).join(', ') ?? 'any',
      ]),
    ),
  ].join('\n\n');

import { type Room, rooms } from '../../test/rooms.ts';
import { code, markdownTable } from './markdown.ts';

const idOf = ({ name }: Room): string => name.replaceAll(/\W+/g, '_');

const isWithin = (path: string, folder: string): boolean => folder === path || (folder.endsWith('/') && path.startsWith(folder));

/** The rooms that a path lies in, or that lie within it. */
const roomsAt = (path: string): Room[] => rooms.filter(({ home }) => home.some((place) => isWithin(path, place) || isWithin(place, path)));

/** The rooms that a room may import from. */
const importableRooms = (room: Room): Room[] => [...new Set(room.mayImport.flatMap(roomsAt))].filter((other) => other !== room);

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

import { type Room, rooms } from '../../test/rooms.ts';
import { code, markdownTable } from './markdown.ts';

const idOf = ({ name }: Room): string => name.replaceAll(/\W+/g, '_');

/** The room that a path lies in. */
const roomOf = (path: string): Room | undefined =>
  rooms.find(({ home }) => home.some((place) => place === path || (place.endsWith('/') && path.startsWith(place))));

/** The rooms that a room may import from. */
const importableRooms = (room: Room): Room[] => [...new Set(room.mayImport.flatMap((path) => roomOf(path) ?? []))].filter((other) => other !== room);

/** The house as a Mermaid diagram: an arrow goes to what may be imported. */
const diagram = (): string =>
  [
    'flowchart TD',
    ...rooms.map((room) => `  ${idOf(room)}["${room.name}<br/>${room.home.join(', ')}"]`),
    ...rooms.flatMap((room) => importableRooms(room).map((other) => `  ${idOf(room)} --> ${idOf(other)}`)),
  ].join('\n');

/** The rooms and their arrows, from what the test of the architecture holds. */
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

import { rooms } from '../../test/rooms.ts';
import { code, markdownTable } from './markdown.ts';

/** The rooms and their allowed imports, from the same data as the architecture test. */
export const architecture = (): string =>
  markdownTable(
    ['Room', 'Home', 'May import', 'Packages'],
    rooms.map(({ name, home, mayImport, packages }) => [
      name,
      home.map(code).join(', '),
      mayImport
        .filter((path) => !home.includes(path))
        .map(code)
        .join(', '),
      packages?.map(code).join(', ') ?? 'any',
    ]),
  );

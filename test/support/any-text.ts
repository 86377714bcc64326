import { type Arbitrary, integer, oneof, string } from 'fast-check';

/** Any whole character, one in three of them ASCII. The unit `binary` of fast-check takes seconds to set up. */
const anyCharacter = oneof(
  integer({ min: 0, max: 0x7f }),
  integer({ min: 0x80, max: 0xd7ff }),
  integer({ min: 0xe000, max: 0x10ffff }),
).map((code) => String.fromCodePoint(code));

/** Any text of whole characters. @param bounds lengths in characters */
export const anyText = (bounds: { readonly minLength?: number; readonly maxLength?: number } = {}): Arbitrary<string> =>
  string({ unit: anyCharacter, ...bounds });

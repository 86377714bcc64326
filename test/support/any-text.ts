import fc from 'fast-check';

/** Any whole character, one in three of them ASCII. The unit `binary` of fast-check takes seconds to set up. */
const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));

/** Any text of whole characters. @param bounds lengths in characters */
export const anyText = (bounds: { readonly minLength?: number; readonly maxLength?: number } = {}) =>
  fc.string({ unit: anyCharacter, ...bounds });

/**
 * Characters that look like those of ASCII, as data: from the scripts in common use. Each line has the character, and
 * the code points of others that many fonts draw like it. Letters with marks (ё, ï) follow from these.
 */
const table = `
a 430 251 3B1
b 42C 184 13CF
c 441 3F2 1D04 2CA5
d 501 13E7
e 435 4BD
f 584 A799
g 261 581 18D
h 4BB 570 13C2
i 456 3B9 269 13A5
j 458 3F3
k 43A 3BA
l 4CF 1C0 5D5 627
n 578 57C 3B7
o 43E 3BF 585 5E1 647 D20 B20 10FF 2C9F
p 440 3C1 2CA3
q 51B 563 566
r 433 1D26 2C85
s 455 A731
t 3C4
u 3C5 57D 28B
v 3BD 475 5D8
w 461 51D 561 26F
x 445 3C7
y 443 3B3 4AF 10E7
A 410 391 13AA A4EE
B 412 392 13F4 A4D0
C 421 3F9 13DF A4DA
D 13A0 A4D3
E 415 395 13AC A4F0
F 3DC A4DD
G 50C 13C0 A4D6
H 41D 397 13BB A4E7
I 406 399 4C0 2C92 A4F2
J 408 37F 13AB A4D9
K 41A 39A 13E6 A4D7
L 53C 13DE A4E1
M 41C 39C 13B7 A4DF
N 39D A4E0
O 41E 39F 555 A4F3
P 420 3A1 13E2 A4D1
Q 51A
R 13A1 13D2 A4E3
S 405 54F 13DA A4E2
T 422 3A4 13A2 A4D4
U 54D A4F4
V 474 13D9 A4E6
W 51C 13B3 A4EA
X 425 3A7 A4EB
Y 423 3A5 4AE A4EC
Z 396 13C3 A4DC
3 417 437 1B7
/ 2044 2215 29F8 2571 3033 4E3F 30CE FF0F
. 2024 FF0E 3002 FF61
: FF1A 2D0 A789 2236
@ FF20 FE6B
? FF1F FE56
# FF03 FE5F
- 2010 2011 2012 2013 2212 2043 FE63 FF0D 2D7 4E00 30FC
`;

const similar = new Map(
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [character, ...others] = line.split(' ');
      return others.map((other) => [String.fromCodePoint(Number.parseInt(other, 16)), character!] as const);
    }),
);

/** Ordinal indicators, which are used in Spanish and Portuguese, and would become letters. */
const ordinals = 'ªº';

/** The ASCII letters or digits for a compatibility form, such as a fullwidth or mathematical one. */
function compatible(character: string): string | undefined {
  const plain = /[\p{L}\p{Nd}]/u.test(character) ? character.normalize('NFKC') : character;
  return plain !== character && /^[A-Za-z0-9]+$/.test(plain) && !ordinals.includes(character) ? plain : undefined;
}

/**
 * The Latin letter, digit or punctuation that a character is drawn like, such as `a` or `ë`; undefined if there is
 * none.
 */
export function lookalikeOf(character: string): string | undefined {
  const [first = '', ...marks] = character.normalize('NFD');
  const plain = similar.get(first);
  return plain === undefined ? compatible(character) : `${plain}${marks.join('')}`.normalize('NFC');
}

/** Whether a character is drawn like one of ASCII although it does not belong to another script: `ɑ`, `ａ`, `𝐚`. */
export const isOddForm = (character: string): boolean =>
  compatible(character) !== undefined || (similar.has(character) && /\p{Script=Latin}/u.test(character));

const codePoints = (line: string): string =>
  [...similar].flatMap(([other, character]) => (line.includes(character) ? [other] : [])).join('');

// Han and Kana have their own similar characters, and prose has dashes.
const alphabetic = String.raw`[[\p{L}\p{N}]--[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Hangul}]]`;

/**
 * Characters that are drawn like separators of an address, between letters or digits, or like `-` after a Latin letter.
 */
export const oddSeparators = new RegExp(
  `(?<=${alphabetic})[${codePoints('/.:@?#')}]+(?=${alphabetic})|(?<=[A-Za-z])[${codePoints('-')}]+(?=[A-Za-z0-9])`,
  'gv',
);

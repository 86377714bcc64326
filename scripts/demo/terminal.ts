import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

// styleText leaves the colours out where stdout is no terminal, or NO_COLOR asks for it.
const styled = (style: Style, text: string): string => styleText(style, text, { stream: process.stdout });

const say = (text: string): void => console.log(text);

/** A chapter of the story. */
export const chapter = (title: string): void => say(`\n${styled('bold', title)}`);

// Ids are too long to be read.
const short = (text: string): string => text.replaceAll(/\b([0-9a-f]{8})-[0-9a-f-]{27}\b/g, '$1…');
const shown = (value: unknown): string => short(typeof value === 'string' ? value : JSON.stringify(value));

/** What the assistant calls. `hidden` names an argument that isn't shown. */
export const calling = (tool: string, args: Readonly<Record<string, unknown>>, hidden?: string): void => {
  const given = Object.entries(args).map(([name, value]) => `${name}=${name === hidden ? '•••' : shown(value)}`);
  say(`  ${styled('cyan', `→ ${tool}`)} ${styled('dim', given.join(' '))}`.trimEnd());
};

/** What came of it. */
export const result = (text: string): void => say(text.split('\n').map((line) => `    ${line}`).join('\n'));

/** A state that something has reached. */
export const state = (name: string, value: string): void => say(`    ${name} ${styled('yellow', value)}`);

/** What the user is asked, and says. */
export const question = (text: string, answer: string): void => {
  say(short(text).split('\n').map((line) => `    ${styled('magenta', '?')} ${line}`).join('\n'));
  say(`    ${styled('magenta', '!')} the user says: ${answer}`);
};

export const good = (text: string): void => say(`    ${styled('green', '✓')} ${text}`);
export const bad = (text: string): void => console.error(`\n${styleText('red', '✗', { stream: process.stderr })} ${text}`);

/** How urgent something is. It is shown as a sign and a word, and only beside them as a colour. */
export type Tone = 'bad' | 'warn' | 'busy' | 'idle' | 'good';

const tones: Readonly<Record<Tone, readonly string[]>> = {
  bad: ['failed', 'unavailable', 'unusable cluster', 'error', 'ERROR', 'CRITICAL', 'destructive'],
  warn: [
    'alerting',
    'canceled',
    'overdue',
    'superseded',
    'not seen',
    'unknown',
    'not looked at',
    'never succeeded',
    'out of date',
    'locked',
    'warn',
    'CANCELED',
    'HIGH',
    'disruptive',
    'sensitive',
  ],
  busy: ['moving', 'in progress', 'running', 'ONGOING'],
  idle: ['stopped', 'never deployed', 'no services', 'info', 'debug', 'SKIP', 'nothing failed', 'LOW', 'MEDIUM'],
  good: ['healthy', 'succeeded', 'SUCCESS', 'read', 'write'],
};

/** The tone of a condition, state, level or tier. What nobody has said is worth a look. */
export const toneOf = (word: string): Tone =>
  (Object.keys(tones) as Tone[]).find((tone) => tones[tone].includes(word)) ?? 'warn';

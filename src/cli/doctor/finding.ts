/** How something is: well, worth knowing, not well, or not looked at because something else isn't well. */
export type State = 'good' | 'note' | 'bad' | 'skipped';

/** What was found when one thing was looked at. */
export interface Finding {
  readonly check: string;
  readonly state: State;
  /** What is the case. Never a secret. */
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** What one thing is looked at for. */
export const finder = (check: string) => ({
  good: (says: string): Finding => ({ check, state: 'good', says }),
  note: (says: string, todo?: string): Finding => ({ check, state: 'note', says, todo }),
  bad: (says: string, todo: string): Finding => ({ check, state: 'bad', says, todo }),
  skipped: (says: string): Finding => ({ check, state: 'skipped', says }),
});

/** The words of whatever was thrown. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

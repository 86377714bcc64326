/** How something is: well, worth knowing, not well, or not looked at because something else isn't well. */
export type FindingState = 'good' | 'note' | 'bad' | 'skipped';

/** What was found when one thing was looked at. */
export interface DoctorFinding {
  readonly check: string;
  readonly state: FindingState;
  /** What is the case. Never a secret. */
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** What one thing is looked at for. */
export const findingBuilder = (check: string) => ({
  good: (says: string): DoctorFinding => ({ check, state: 'good', says }),
  note: (says: string, todo?: string): DoctorFinding => ({ check, state: 'note', says, todo }),
  bad: (says: string, todo: string): DoctorFinding => ({ check, state: 'bad', says, todo }),
  skipped: (says: string): DoctorFinding => ({ check, state: 'skipped', says }),
});

/** The words of whatever was thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

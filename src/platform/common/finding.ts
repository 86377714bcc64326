/**
 * The state of a check: fine, fine with something to know, in need of attention on this machine, a problem, or not
 * checked because of another problem.
 */
export type FindingState = 'good' | 'info' | 'note' | 'bad' | 'skipped';

/** The result of one check. */
export interface DoctorFinding {
  readonly check: string;
  readonly state: FindingState;
  /** The result as text. Never contains a secret. */
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** Creates the findings of one check. */
export const findingBuilder = (check: string) => ({
  good: (says: string): DoctorFinding => ({ check, state: 'good', says }),
  info: (says: string, todo?: string): DoctorFinding => ({ check, state: 'info', says, todo }),
  note: (says: string, todo?: string): DoctorFinding => ({ check, state: 'note', says, todo }),
  bad: (says: string, todo: string): DoctorFinding => ({ check, state: 'bad', says, todo }),
  skipped: (says: string): DoctorFinding => ({ check, state: 'skipped', says }),
});

import type { PlanLine } from './preview.ts';
import { warningText, type PlanWarning } from './warnings.ts';

/** A warning as a line of a plan, with its code. */
export const warningLine = (warning: PlanWarning): PlanLine => {
  const text = warningText(warning);
  return { text, agreed: text, warning };
};

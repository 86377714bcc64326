import { warningsIn } from '../warnings.ts';
import type { DeploymentSituation, Facts } from './situation.ts';

/** What a warning about what runs says, by the named groups of a pattern; undefined if none says that. */
export const warningFacts = (status: DeploymentSituation['evidence']['status'], pattern: RegExp): { readonly why: string; readonly facts: Facts } | undefined => {
  for (const warning of warningsIn(status)) {
    const match = pattern.exec(warning);
    if (match?.groups) return { why: 'the platform says so of what runs', facts: { ...match.groups } };
  }
  return undefined;
};

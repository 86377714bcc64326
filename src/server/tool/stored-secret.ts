import { naming, type TextPart } from './tool-text.ts';

/** What is wrong with a change of a secret where a variable is meant, after its key and `is`. */
export const storedSecret = 'a secret, not a variable';

/** How a secret gets another value. */
export const replaceSecret: readonly TextPart[] = [
  naming`Give it another value with ${'set_environment_variables'} and "secrets".`,
  'What runs keeps its value until it is deployed again.',
];

import { naming, type TextPart } from './tool-text.ts';

/** The reason why a secret can't be changed as a variable; follows its key and `is`. */
export const storedSecret = 'a secret, not a variable';

/** How to replace a secret's value. */
export const replaceSecret: readonly TextPart[] = [
  naming`Give it another value with ${'set_environment_variables'} and "secrets".`,
  'What runs keeps its value until it is deployed again.',
];

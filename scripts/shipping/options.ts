import type { OptionHelp } from '../../src/cli/config/index.ts';

/** Whether an option's value is a secret. Secrets are the options without a flag, because command lines are visible in process lists. */
export const isSecretOption = ({ flag }: OptionHelp): boolean => flag === undefined;

/** Whether an option is a boolean. */
export const isBooleanOption = (option: OptionHelp): boolean => option.value === undefined && !isSecretOption(option);

import type { OptionHelp } from '../../src/cli/config/read-config.ts';

/** Whether an option's value is a secret. What no flag takes is one: command lines are shown in lists of processes. */
export const isSecretOption = ({ flag }: OptionHelp): boolean => flag === undefined;

/** Whether an option is either on or off. */
export const isBooleanOption = (option: OptionHelp): boolean => option.value === undefined && !isSecretOption(option);

/** Options and where their values come from. */

export { choicesOf, chosenProfile, defaultDataDir, enumOf, flagOf, integerBetween, optionHelp, optionsOf, profileNames, readConfig, settingsOf, type CommandName, type Config, type GivenFlags, type logLevels, type OptionHelp, type OptionName, type Profile, type Setting } from './read-config.ts';

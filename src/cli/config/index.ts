/** Options and the sources of their values. */

export { givenOptions } from './given-options.ts';
export { defaultDomain, domainPattern } from './platform-options.ts';
export { linkedPages, pageLink, repositoryUrl } from './page-links.ts';
export {
  choicesOf,
  chosenProfile,
  ConfigError,
  defaultDataDir,
  enumListOf,
  enumOf,
  flagOf,
  integerBetween,
  kindOf,
  optionHelp,
  optionsOf,
  profileNames,
  readConfig,
  settingsOf,
  type CommandName,
  type Config,
  type GivenFlags,
  type logLevels,
  type OptionHelp,
  type OptionName,
  type Profile,
  type Setting,
} from './read-config.ts';

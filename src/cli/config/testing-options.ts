import * as z from 'zod';
import { optional, path, preset, within, words, yesOrNo } from './fields.ts';

const isMoment = (value: string): boolean => value === 'now' || z.iso.datetime({ offset: true }).safeParse(value).success;

/** A moment in milliseconds since 1970. */
const moment = () =>
  within('now, or a moment such as 2026-03-01T12:00:00Z', isMoment)().transform((value) => (value === 'now' ? Date.now() : Date.parse(value)));

/** Options of the platform command for whoever tests with it: how their text is read, and where they may be given. */
export const testingOptions = {
  control: preset(yesOrNo, false, {
    env: 'INFRA_PLATFORM_CONTROL', commands: ['platform'],
    description: 'Let requests control time, faults and snapshots, with a token of their own that is printed when the platform is ready.',
  }),
  steppedTime: optional(moment, {
    env: 'INFRA_STEPPED_TIME', value: 'moment', commands: ['platform'],
    description: 'Have time stand still, in a new data directory at this moment, until a control request moves it. Needs --control.', fallback: 'time passes',
  }),
  randomSeed: optional(words, {
    env: 'INFRA_RANDOM_SEED', value: 'text', commands: ['platform'],
    description: 'Make ids and chance the same from one new data directory to the next.', fallback: 'they differ',
  }),
  faultsFile: optional(path, {
    env: 'INFRA_FAULTS_FILE', flagName: 'faults', value: 'path', commands: ['platform'],
    description: 'File of rules, in YAML or JSON, that make requests, deployments and upgrades go wrong.',
  }),
};

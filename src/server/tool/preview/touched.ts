import { isDeepStrictEqual } from 'node:util';
import type { Target } from '../../guard/target.ts';
import { showName } from './preview.ts';

const modeText = ({ kind, mode }: Target): string => {
  if (mode === 'none') return '';
  if (kind === 'cluster') return mode === 'PRODUCTION' ? ', which hosts production' : ', of which could not be found out whether it hosts production';
  return mode === 'unknown' ? ', whose mode could not be determined' : `, ${mode}`;
};

const lineOf = (target: Target): string => {
  if (target.why === 'elsewhere') return 'May touch another environment: where all that it names lies could not be found out.';
  const { kind, id, name } = target;
  const called = `${kind.replaceAll('_', ' ')}${name === undefined ? '' : ` ${showName(name)}`}${modeText(target)}`;
  return id === undefined ? `Makes ${called}.` : `Touches ${called} (id ${id}).`;
};

/** What a call touches beside its targets, one line each: its risk follows from that too. */
export const touchedLines = (targets: readonly Target[]): readonly string[] => {
  const touched = targets.flatMap((target) => target.touched ?? []);
  return [...new Set(touched.filter((one) => !targets.some((target) => isDeepStrictEqual(one, target))).map(lineOf))];
};

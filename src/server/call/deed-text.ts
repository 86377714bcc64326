import type { AimedAct } from '../guard/guarded-call.ts';

/** A request in words: its operation, what it is about, and its target. */
export const deedText = ({ operation, target, about }: AimedAct): string =>
  `${operation.name}${about === undefined ? '' : ` ${about}`}${target.id === undefined ? '' : ` on ${target.kind} ${target.id}`}`;

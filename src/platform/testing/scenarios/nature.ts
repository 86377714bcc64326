import type { Nature } from '../../runtime/simulated/world.ts';
import type { Db } from '../../store/database.ts';
import { world } from './scenarios.ts';
import { surroundingsOf } from './surroundings.ts';

/** What services of a store meet when they are deployed. */
export const natureOf = (db: Db): Nature => ({ world, surroundings: surroundingsOf(db) });

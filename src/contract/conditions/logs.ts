import { count, plainReason, reasonWith, words } from './reason.ts';

/** Why lines are missing in a log. */
export const logReasons = {
  LOG_UNREADABLE: reasonWith(
    { said: words },
    ({ said }) => `What the running instances log could not be read: ${said}. The lines here were stored before.`,
  ),
  LOG_INCOMPLETE: reasonWith(
    { said: words },
    ({ said }) => `Not all of what the instances log could be read: ${said}.`,
  ),
  LOG_ON_LOST_NODE: reasonWith(
    { instance: words, node: words, since: words },
    ({ instance, node, since }) =>
      `The log of ${instance} can't be read: it is on the node ${node}, which has been down since ${since} or earlier.`,
  ),
  LOG_END_UNREADABLE: plainReason('The end of the log could not be read from the engine.'),
  LINES_LEFT_OUT: reasonWith(
    { most: count },
    ({ most }) => `Lines were left out here: more than ${most} came at once.`,
  ),
};

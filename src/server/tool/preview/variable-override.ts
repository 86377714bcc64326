import { operations } from '../../../contract/index.ts';
import { reading, readUses } from '../reads.ts';
import { rowWith, show, notKnown, type Preview } from './preview.ts';

/** The present value of an inherited variable, and the one that overrides it for the target container. */
export const override: Preview = reading(readUses('the plan does not show the present value', operations.list_variables_of_container), async (args, { target, reader }) => {
  const list = await reader.attempt(operations.list_variables_of_container, { container_id: String(target.id) });
  const inherited = rowWith(list, args['environment_variable_id']);
  if (!inherited) return [notKnown('which variable this is, and the value it has now')];
  return [`${show(inherited['key'])}: ${show(inherited['value'])} (of scope ${show(inherited['scope'])}) → ${show(args['value'])}`];
});

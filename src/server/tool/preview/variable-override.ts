import { ownerKindOf, variableList, variableOwnerKinds } from '../../../contract/index.ts';
import { readVariableList } from '../../context/index.ts';
import { reading, readUses } from '../reads.ts';
import { rowWith, show, notKnown, type Preview } from './preview.ts';

const lists = new Set(variableOwnerKinds.map((kind) => variableList('variables', kind).operation));

/** The present value of an inherited variable, and the one that overrides it for the target. */
export const override: Preview = reading(
  readUses('the plan does not show the present value', ...lists),
  async (args, { target, reader }) => {
    const kind = ownerKindOf(target.kind.toUpperCase());
    const list =
      kind && target.id !== undefined
        ? await readVariableList('variables', { kind, id: target.id }, reader)
        : undefined;
    const inherited = rowWith(list, args['environment_variable_id']);
    if (!inherited) return [notKnown('which variable this is, and the value it has now')];
    return [
      `${show(inherited['key'])}: ${show(inherited['value'])} (of scope ${show(inherited['scope'])}) → ${show(args['value'])}`,
      ...(kind === 'environment' ? ['All services of the environment see it that have no value of their own.'] : []),
    ];
  },
);

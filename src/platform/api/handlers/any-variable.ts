import { ownerKindOf, type OwnerScope } from '../../../contract/index.ts';
import { invalid, notFound } from '../../common/index.ts';
import type { OperationHandlers, RequestContext } from '../handler.ts';
import type { Db } from '../../store/index.ts';
import { variableAnswers } from './variable-answers.ts';
import {
  storeSecret,
  createVariable,
  deleteVariable,
  overrideVariable,
  replaceStoredSecret,
  replaceVariable,
} from './variable-changes.ts';
import {
  findOwner,
  ownerOfRow,
  requireChangeable,
  visibleVariables,
  type StoredOwner,
  type VariableRow,
} from './variable-owners.ts';

const isSecret = ({ sealed_value: sealed }: VariableRow): boolean => sealed !== null;

/** Variables and secrets in responses. Secrets have no values. */
async function answersOf(rows: readonly VariableRow[], db: Db) {
  const answers = await variableAnswers(db, rows);
  return answers.map((answer, index) => ({
    ...answer,
    value: isSecret(rows[index]!) ? null : answer.value,
    is_secret: isSecret(rows[index]!),
  }));
}

const answerOf = async (row: VariableRow, { db }: RequestContext) => (await answersOf([row], db))[0]!;

const ownerAt = (scope: OwnerScope, id: string, db: Db): Promise<StoredOwner> =>
  findOwner(db, ownerKindOf(scope)!, id.toLowerCase());

async function findAny(id: string, db: Db): Promise<VariableRow> {
  const row = await db.selectFrom('variable').selectAll().where('id', '=', id).executeTakeFirst();
  if (!row) throw notFound('environment_variable', id);
  return row;
}

/** Refuses secrets where only variables can be overridden. */
const requireVariable = (row: VariableRow): void => {
  if (isSecret(row))
    throw invalid('environment_variable_id', `${row.key} (${row.id}) is a secret, which can't be overridden`);
};

/** The handlers of the path that serves all variables. */
export const anyVariableHandlers = {
  list_variables: async ({ scope, parent_id, is_secret }, { db }) => {
    const which = is_secret === undefined ? 'both' : is_secret === 'true' ? 'secrets' : 'variables';
    return {
      results: await answersOf(await visibleVariables(db, await ownerAt(scope, parent_id, db), which).execute(), db),
    };
  },
  create_variable: async ({ variable_scope, variable_parent_id, is_secret, ...variable }, context) => {
    const owner = await ownerAt(variable_scope, variable_parent_id, context.db);
    return answerOf(await (is_secret ? storeSecret : createVariable)(owner, variable, context), context);
  },
  update_variable: async ({ environment_variable_id, ...variable }, context) => {
    const row = await findAny(environment_variable_id, context.db);
    await requireChangeable(await ownerOfRow(context.db, row), context);
    if (isSecret(row)) return answerOf(await replaceStoredSecret(row, variable, context), context);
    const value = variable.value ?? (await answerOf(row, context)).value ?? '';
    return answerOf(await replaceVariable(row, { ...variable, value, mount_path: row.mount_path }, context), context);
  },
  delete_variable: async ({ environment_variable_id }, context) => {
    const row = await findAny(environment_variable_id, context.db);
    return deleteVariable(await ownerOfRow(context.db, row), row, context);
  },
  override_variable: async ({ environment_variable_id, override_scope, override_parent_id, ...override }, context) => {
    const owner = await ownerAt(override_scope, override_parent_id, context.db);
    const row = await findAny(environment_variable_id, context.db);
    requireVariable(row);
    const visible = await visibleVariables(context.db, owner, 'variables').execute();
    if (!visible.some(({ id }) => id === row.id)) throw notFound('environment_variable', row.id);
    return answerOf(await overrideVariable(owner, row, override, context), context);
  },
} satisfies OperationHandlers<
  'list_variables' | 'create_variable' | 'update_variable' | 'delete_variable' | 'override_variable'
>;

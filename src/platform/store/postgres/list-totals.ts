import { listsSince, type PagedList, totalTriggerOf } from '../schema/paged-lists.ts';

const triggersOf = (list: PagedList): string[] => {
  const { table, owner } = list;
  const { trigger, counted } = totalTriggerOf(list);
  return [
    `create trigger ${trigger}_came after insert on ${table} for each row when (${counted('new')}) execute function count_listed('${owner}')`,
    `create trigger ${trigger}_went after delete on ${table} for each row when (${counted('old')}) execute function count_listed('${owner}')`,
  ];
};

/** The function of the triggers that maintain totals. */
export const listTotalFunction = `create function count_listed() returns trigger language plpgsql as $$
    declare owner text;
    begin
      if tg_op = 'INSERT' then
        execute format('select ($1).%I', tg_argv[0]) into owner using new;
        insert into list_total values (tg_table_name, owner, 1) on conflict (list, owner_id) do update set total = list_total.total + 1;
      else
        execute format('select ($1).%I', tg_argv[0]) into owner using old;
        update list_total set total = total - 1 where list = tg_table_name and owner_id = owner;
      end if;
      return null;
    end $$`;

/** The triggers that maintain the totals of the lists whose tables a step of the schema adds. */
export const listTotalTriggers = (step: number): readonly string[] => listsSince(step).flatMap(triggersOf);

import { listsSince, type PagedList, totalTriggerOf } from '../schema/paged-lists.ts';

const triggersOf = (list: PagedList): string[] => {
  const { table, owner } = list;
  const { trigger, counted } = totalTriggerOf(list);
  return [
    `create trigger ${trigger}_came after insert on ${table} when ${counted('new')} begin
      insert into list_total values ('${table}', new.${owner}, 1) on conflict (list, owner_id) do update set total = total + 1;
    end`,
    `create trigger ${trigger}_went after delete on ${table} when ${counted('old')} begin
      update list_total set total = total - 1 where list = '${table}' and owner_id = old.${owner};
    end`,
  ];
};

/** The triggers that maintain the totals of the lists whose tables a step of the schema adds. */
export const listTotalTriggers = (step: number): readonly string[] => listsSince(step).flatMap(triggersOf);

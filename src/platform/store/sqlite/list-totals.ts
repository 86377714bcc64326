import { pagedLists } from '../schema/paged-lists.ts';

const triggersOf = ({ table, owner, only }: (typeof pagedLists)[number]): string[] => {
  const counted = (row: string) => `${row}.${owner} is not null${only === undefined ? '' : ` and ${row}.${only}`}`;
  const trigger = `${table}_of_${owner.replace('_id', '')}`;
  return [
    `create trigger ${trigger}_came after insert on ${table} when ${counted('new')} begin
      insert into list_total values ('${table}', new.${owner}, 1) on conflict (list, owner_id) do update set total = total + 1;
    end`,
    `create trigger ${trigger}_went after delete on ${table} when ${counted('old')} begin
      update list_total set total = total - 1 where list = '${table}' and owner_id = old.${owner};
    end`,
  ];
};

/** The triggers that maintain the total of each list. */
export const listTotalStatements: readonly string[] = pagedLists.flatMap(triggersOf);

import { pagedLists } from './schema/paged-lists.ts';

type PagedList = (typeof pagedLists)[number];

/** The name of a list's triggers, and the condition that a row is in the list. @param row `new` or `old` */
const triggerOf = ({ table, owner, only }: PagedList) => ({
  trigger: `${table}_of_${owner.replace('_id', '')}`,
  isListed: (row: string) => `${row}.${owner} is not null${only === undefined ? '' : ` and ${row}.${only}`}`,
});

const inSqlite = (list: PagedList): string[] => {
  const { table, owner } = list;
  const { trigger, isListed } = triggerOf(list);
  return [
    `create trigger ${trigger}_came after insert on ${table} when ${isListed('new')} begin
      insert into list_total values ('${table}', new.${owner}, 1) on conflict (list, owner_id) do update set total = total + 1;
    end`,
    `create trigger ${trigger}_went after delete on ${table} when ${isListed('old')} begin
      update list_total set total = total - 1 where list = '${table}' and owner_id = old.${owner};
    end`,
  ];
};

const inPostgres = (list: PagedList): string[] => {
  const { table, owner } = list;
  const { trigger, isListed } = triggerOf(list);
  return [
    `create trigger ${trigger}_came after insert on ${table} for each row when (${isListed('new')}) execute function count_listed('${owner}')`,
    `create trigger ${trigger}_went after delete on ${table} for each row when (${isListed('old')}) execute function count_listed('${owner}')`,
  ];
};

const countListed = `create function count_listed() returns trigger language plpgsql as $$
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

/** The statements for the triggers that maintain the total of each list, for each database. */
export const listTotalStatements = {
  sqlite: pagedLists.flatMap(inSqlite),
  postgres: [countListed, ...pagedLists.flatMap(inPostgres)],
} as const satisfies Readonly<Record<string, readonly string[]>>;

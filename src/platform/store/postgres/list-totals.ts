import { text } from './column-types.ts';

/** The paged lists, by table and owner. Lists of variables contain no secrets. */
const lists: readonly { readonly table: string; readonly owner: string; readonly only?: string }[] = [
  ...[
    'project', 'cluster', 'labels_group', 'annotations_group', 'registry', 'helm_repository', 'alert_rule', 'alert_receiver', 'role', 'member',
    'webhook', 'invitation',
  ].map((table) => ({ table, owner: 'organization_id' })),
  { table: 'environment', owner: 'project_id' },
  { table: 'service', owner: 'environment_id' },
  ...['project_id', 'environment_id', 'service_id'].map((owner) => ({ table: 'variable', owner, only: 'sealed_value is null' })),
];

const triggersOf = ({ table, owner, only }: (typeof lists)[number]): string[] => {
  const counted = (row: string) => `${row}.${owner} is not null${only === undefined ? '' : ` and ${row}.${only}`}`;
  const trigger = `${table}_of_${owner.replace('_id', '')}`;
  return [
    `create trigger ${trigger}_came after insert on ${table} for each row when (${counted('new')}) execute function count_listed('${owner}')`,
    `create trigger ${trigger}_went after delete on ${table} for each row when (${counted('old')}) execute function count_listed('${owner}')`,
  ];
};

/** The total of each list, so that pages need no counting, kept by triggers. */
export const listTotalStatements: readonly string[] = [
  `create table list_total (list ${text} not null, owner_id ${text} not null, total integer not null, primary key (list, owner_id))`,
  `create function count_listed() returns trigger language plpgsql as $$
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
    end $$`,
  ...lists.flatMap(triggersOf),
];

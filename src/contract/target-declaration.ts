import type { ReferenceKind } from './primitives.ts';
import { serviceKinds, type ServiceKind } from './resources/service.ts';

/** What a member of a query or body has to do with what an operation acts upon. */
export type MemberRole =
  /** The mode of the environment that comes of it. Left out, that mode is not known. */
  | 'mode'
  /** Points at a resource of this kind outside the target, or at several: it is touched too. */
  | { readonly pointsAt: ReferenceKind }
  /** Points at resources of this kind in the target: whoever changes the target changes them. */
  | { readonly within: ReferenceKind }
  /** Only named like one of these. */
  | 'unrelated';

/** What an operation brings about beside a change of its target, and where that ends up: in the target, or in what a member points at. */
export interface Placement {
  readonly kind: ReferenceKind | 'secret' | 'invitation';
  readonly in: ReferenceKind;
}

/** What an operation acts upon, written down with the operation, so that nobody has to guess it from a path or a member's name. */
export interface TargetDeclaration {
  /** What it changes: the resource of this kind that its path names, or the token's organization. Every change says it; a read acts on what its path begins with. */
  readonly target?: ReferenceKind;
  /** What comes into being; then the success code is 201. */
  readonly creates?: Placement;
  /** What gets another place. */
  readonly moves?: Placement;
  /** What its query and body members decide, by their names in the flat input. */
  readonly roles?: Readonly<Record<string, MemberRole>>;
  /** Names of the operations that it carries out on each service of its target environment, by the service's kind. */
  readonly carriesOut?: Readonly<Record<ServiceKind, string>>;
  /** Whether it does the same to every service of its target environment. */
  readonly onEachService?: boolean;
}

/** An operation as far as its declaration is checked. */
export interface DeclaredOperation extends TargetDeclaration {
  readonly changes: boolean;
  /** Kinds of the resources that its path names. */
  readonly named: readonly string[];
  /** Its query and body members by their names in the flat input, and those inside of them by dotted path; each with the kind of what it points at. */
  readonly members: Readonly<Record<string, ReferenceKind | undefined>>;
  /** Other spellings of members, each with the member's own name. */
  readonly aliases: Readonly<Record<string, string>>;
}

const scopeKinds: readonly string[] = ['environment', 'project', 'cluster'];
const locatableKinds: readonly string[] = [...scopeKinds, ...serviceKinds];

/** Names of members that may decide where something ends up, and so have to say what they do. */
const decisiveNames = new RegExp(`(?:^|[_.])(?:modes?|(?:${scopeKinds.join('|')})s?(?:_ids?)?|(?:${['organization', 'service', 'destination', ...serviceKinds].join('|')})_id)$|_ids$`);

const targetFaults = ({ changes, named, target }: DeclaredOperation): string[] => {
  if (target === undefined) return changes ? ['it changes something, and says no target'] : [];
  return named.includes(target) || (target === 'organization' && named.length === 0) ? [] : [`its target is of kind ${target}, which its path doesn't name`];
};

/** Whether a member has to say what it decides, by its name or by what it points at. */
const needsRole = (name: string, kind: ReferenceKind | undefined): boolean => decisiveNames.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()) || (kind !== undefined && locatableKinds.includes(kind));

const kindOfRole = (role: MemberRole): ReferenceKind | undefined => (typeof role === 'string' ? undefined : 'pointsAt' in role ? role.pointsAt : role.within);

function roleFaults({ members, aliases, roles = {} }: DeclaredOperation): string[] {
  const known = [...Object.entries(members), ...Object.keys(aliases).map((name) => [name, undefined] as const)];
  const mute = known.filter(([name, kind]) => needsRole(name, kind) && !Object.hasOwn(roles, aliases[name] ?? name)).map(([name]) => name);
  return [
    ...mute.map((name) => `it doesn't say what its member "${name}" decides`),
    ...Object.keys(roles).flatMap((name) => (Object.hasOwn(members, name) ? [] : [`it says what "${name}" decides, and has no such member`])),
    ...Object.entries(roles).flatMap(([name, role]) => {
      const [said, is] = [kindOfRole(role), members[name]];
      return is !== undefined && said !== is ? [`"${name}" points at one of kind ${is}, and it says ${said ?? 'nothing of that'}`] : [];
    }),
  ];
}

const outcomeFaults = ({ target, creates, moves, roles = {} }: DeclaredOperation): string[] => {
  const reached = [target, ...Object.values(roles).map(kindOfRole)];
  return [creates, moves].flatMap((one) => (one && !reached.includes(one.in) ? [`what comes of it ends up in one of kind ${one.in}, which neither its target nor a member tells`] : []));
};

/** What is missing or wrong in what an operation says of what it acts upon, each the end of a sentence. */
export const declarationFaults = (checked: DeclaredOperation): string[] => [
  ...targetFaults(checked),
  ...roleFaults(checked),
  ...outcomeFaults(checked),
  ...(checked.onEachService && checked.target !== 'environment' ? ['it is done to each service, and its target is no environment'] : []),
  ...(checked.carriesOut && checked.target !== 'environment' ? ['it carries out others on services, and its target is no environment'] : []),
];

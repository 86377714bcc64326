import type { ReferenceKind } from './primitives.ts';
import { serviceKinds, type ServiceKind } from './resources/service.ts';

/** How a query or body member relates to the resources that an operation acts on. */
export type MemberRole =
  /** The mode of the resulting environment. If it is omitted, the mode is unknown. */
  | 'mode'
  /** Refers to one or more resources of this kind outside the target, which are affected too. */
  | { readonly pointsAt: ReferenceKind }
  /** Refers to resources of this kind inside the target: changing the target covers them. */
  | { readonly within: ReferenceKind }
  /** None of these; only its name looks like one. */
  | 'unrelated';

/**
 * The resource that an operation creates or moves, and its new place: in the target, or in a resource that a member
 * refers to.
 */
export interface Placement {
  readonly kind: ReferenceKind;
  readonly in: ReferenceKind;
}

/**
 * The members of an operation's flat input that name its target, if its path doesn't: the one with the scope of an
 * owner of variables or the type of what is watched, and the one with its id, by dotted paths. They aren't sent if the
 * request doesn't have such members.
 */
export interface TargetMembers {
  readonly scope: string;
  readonly id: string;
}

/** A resource that a member of an operation's flat input names. */
export interface ChangedByMember {
  readonly kind: ReferenceKind;
  readonly by: string;
}

/**
 * The resources on which an operation acts. Declared with the operation, so that they are never guessed from a path or
 * a member's name.
 */
export interface TargetDeclaration {
  /**
   * Kind of the resource it changes: one that its path names, or the token's organization. Changes must declare it; a
   * read acts on the first resource in its path.
   */
  readonly target?: ReferenceKind;
  /** Members that name the target instead; `target` is then any kind that it can be. */
  readonly targetBy?: TargetMembers;
  /** Whether a change of a target that is a project affects all its environments. */
  readonly reachesEnvironments?: boolean;
  /**
   * The resource inside the target that it changes or deletes, and the member of its flat input with the id, if its
   * path doesn't name it.
   */
  readonly changed?: ChangedByMember;
  /** The resource that it creates. The success status is then 201. */
  readonly creates?: Placement;
  /** Whether it changes the name of its target, which is unique in what contains the target. */
  readonly renames?: boolean;
  /** The resource that it moves. */
  readonly moves?: Placement;
  /** Roles of its query and body members, by their names in the flat input. */
  readonly roles?: Readonly<Record<string, MemberRole>>;
  /**
   * The operations that it carries out on each service of its target environment or, if members name services inside
   * it, on those: service kind → operation name.
   */
  readonly carriesOut?: Readonly<Record<ServiceKind, string>>;
  /**
   * Name of the operation that deploys the same version again if a platform refuses this one without a version. It acts
   * on the same target, with the same effect.
   */
  readonly redeploy?: string;
  /**
   * Names of the operations that do the same at the path of a resource inside its target, for platforms that have it
   * only there. They have the same effect and body.
   */
  readonly elsewhere?: readonly string[];
  /**
   * Names of the operations that do the same to one of the services that a member lists, in the order in which they are
   * carried out if a platform doesn't accept several at once. Their permission is the same, and their effect isn't more
   * severe. One that may name a version has a redeployment, for services that are listed without one.
   */
  readonly oneByOne?: Readonly<Record<string, string>>;
  /** Whether it does the same to every service of its target environment. */
  readonly onEachService?: boolean;
  /**
   * Whether a read covers every environment in its target, so that rules and scopes for any environment apply to it.
   */
  readonly showsEnvironments?: boolean;
  /**
   * The rows of a read's answer, if each belongs to its own project or environment: rows that rules or a scope hide are
   * left out, and the rest is shown.
   */
  readonly placedRows?: PlacedRows;
}

/** Kinds of rows in an answer. Each kind identifies the place of a row differently. */
export const placedRowKinds = [
  'projects',
  'environments',
  'alert rules',
  'deliveries',
  'events',
  'uses',
  'clusters',
  'deployment windows',
] as const;

/** Rows that belong to different projects and environments. */
export interface PlacedRows {
  /** The member of the answer that contains them. */
  readonly member: string;
  readonly are: (typeof placedRowKinds)[number];
}

/** The parts of an operation that the check of its target declaration needs. */
export interface DeclaredOperation extends TargetDeclaration {
  readonly changes: boolean;
  /** Kinds of the resources in its path. */
  readonly named: readonly string[];
  /**
   * Its query and body members by their names in the flat input, nested ones by dotted path, each with the kind of
   * resource it refers to.
   */
  readonly members: Readonly<Record<string, ReferenceKind | undefined>>;
  /** Other names of members: alias → name. */
  readonly aliases: Readonly<Record<string, string>>;
}

const scopeKinds: readonly string[] = ['environment', 'project', 'cluster'];
const locatableKinds: readonly string[] = [...scopeKinds, ...serviceKinds];

/** Names of members that may decide the place of a resource, and therefore need a declared role. */
const decisiveNames = new RegExp(
  `(?:^|[_.])(?:modes?|(?:${scopeKinds.join('|')})s?(?:_ids?)?|(?:${['organization', 'service', 'destination', ...serviceKinds].join('|')})_id)$|_ids$`,
);

const targetFaults = ({ changes, named, target, targetBy }: DeclaredOperation): string[] => {
  if (targetBy) return named.includes(target ?? '') ? ['its target is named twice, by its path and by members'] : [];
  if (target === undefined) return changes ? ['it changes something, and says no target'] : [];
  return named.includes(target) || (target === 'organization' && named.length === 0)
    ? []
    : [`its target is of kind ${target}, which its path doesn't name`];
};

/** Whether a member needs a declared role, by its name or its reference. */
const needsRole = (name: string, kind: ReferenceKind | undefined): boolean =>
  decisiveNames.test(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase()) ||
  (kind !== undefined && locatableKinds.includes(kind));

const kindOfRole = (role: MemberRole): ReferenceKind | undefined =>
  typeof role === 'string' ? undefined : 'pointsAt' in role ? role.pointsAt : role.within;

function roleFaults({ members, aliases, roles = {} }: DeclaredOperation): string[] {
  const known = [...Object.entries(members), ...Object.keys(aliases).map((name) => [name, undefined] as const)];
  const undeclared = known
    .filter(([name, kind]) => needsRole(name, kind) && !Object.hasOwn(roles, aliases[name] ?? name))
    .map(([name]) => name);
  return [
    ...undeclared.map((name) => `it doesn't say what its member "${name}" decides`),
    ...Object.keys(roles).flatMap((name) =>
      Object.hasOwn(members, name) ? [] : [`it says what "${name}" decides, and has no such member`],
    ),
    ...Object.entries(roles).flatMap(([name, role]) => {
      const [declared, actual] = [kindOfRole(role), members[name]];
      return actual !== undefined && declared !== actual
        ? [`"${name}" points at one of kind ${actual}, and it says ${declared ?? 'nothing of that'}`]
        : [];
    }),
  ];
}

const changedFaults = ({ changed, members }: DeclaredOperation): string[] =>
  changed === undefined || members[changed.by] === changed.kind
    ? []
    : [`it changes one of kind ${changed.kind}, which its member "${changed.by}" doesn't name`];

const outcomeFaults = ({ target, creates, moves, roles = {} }: DeclaredOperation): string[] => {
  const reachable = [target, ...Object.values(roles).map(kindOfRole)];
  return [creates, moves].flatMap((placement) =>
    placement && !reachable.includes(placement.in)
      ? [`what comes of it ends up in one of kind ${placement.in}, which neither its target nor a member tells`]
      : [],
  );
};

/** The faults of a target declaration, as phrases to follow the operation's name. */
export const declarationFaults = (checked: DeclaredOperation): string[] => [
  ...targetFaults(checked),
  ...roleFaults(checked),
  ...outcomeFaults(checked),
  ...changedFaults(checked),
  ...(checked.onEachService && checked.target !== 'environment'
    ? ['it is done to each service, and its target is no environment']
    : []),
  ...(checked.showsEnvironments && (checked.changes || !['organization', 'project'].includes(checked.named[0] ?? ''))
    ? ['it shows environments, and does not read a project or an organization']
    : []),
  ...(checked.placedRows !== undefined && (checked.changes || checked.showsEnvironments)
    ? ['it has rows that say where they belong, and changes something or shows all of them']
    : []),
  ...(checked.carriesOut && checked.target !== 'environment'
    ? ['it carries out others on services, and its target is no environment']
    : []),
];

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { about } from '../shipping/about.ts';

const run = promisify(execFile);

/** What we read and change of a component that npm describes. */
interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
}
interface Dependency {
  readonly ref: string;
  readonly dependsOn: readonly string[];
}
interface Bom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly Dependency[];
}

/** A UUID that follows from a text, of the version for such. */
const uuidOf = (text: string): string => {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/**
 * The software bill of materials of what is bundled, in CycloneDX. npm describes everything that is installed; what
 * only building and testing need is left out.
 * @param bundled the packages of the bundle, as `name@version`.
 * @param moment of the commit, so that the same commit has the same bill.
 * @throws Error that names a bundled package that npm doesn't know.
 */
export async function billOfMaterials(root: string, bundled: readonly string[], moment: Date): Promise<string> {
  const { stdout } = await run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { metadata, components, dependencies, ...rest } = JSON.parse(stdout) as Bom;
  const known = new Map(components.map((component) => [`${component.name}@${component.version}`, component]));
  const unknown = bundled.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(
      `The bundle has packages that package-lock.json doesn't have: ${unknown.join(', ')}. Run npm ci, then build again.`,
    );
  const kept = bundled.toSorted().map((name) => known.get(name)!);
  const refs = new Set(kept.map((component) => component['bom-ref']));
  const own = metadata.component['bom-ref'];
  const content = {
    // For npm all of them serve development, because they are bundled.
    components: kept.map((component) => ({ ...component, scope: 'required', properties: [] })),
    dependencies: [
      { ref: own, dependsOn: [...refs] },
      ...dependencies
        .filter(({ ref }) => refs.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
    ],
  };
  const bill = {
    ...rest,
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(content))}`,
    metadata: {
      ...metadata,
      timestamp: moment.toISOString(),
      lifecycles: [{ phase: 'build' }],
      component: { ...metadata.component, type: 'application', name: about.name },
    },
    ...content,
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

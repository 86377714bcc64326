import { describe, expect, test } from 'vitest';
import {
  architectures,
  checksum,
  compileProgram,
  compilerVersion,
  programNames,
  sourceChecksums,
} from '../../../../scripts/programs/compile.ts';
import { bundleAgent } from '../../../../scripts/programs/bundle-agent.ts';
import { agentProgram } from '../../../../src/platform/runtime/docker/agent/compiled.ts';
import { containerProgram } from '../../../../src/platform/runtime/docker/programs/programs.ts';
import checksums from '../../../../src/platform/runtime/docker/programs/checksums.json' with { type: 'json' };

const every = programNames.flatMap((name) => architectures.map((architecture) => ({ name, architecture })));

/** The kinds of the segments of an executable for a little-endian CPU with 64 bits. */
const segmentsOf = (content: Buffer): number[] => {
  const [offset, size, count] = [
    Number(content.readBigUInt64LE(32)),
    content.readUInt16LE(54),
    content.readUInt16LE(56),
  ];
  return Array.from({ length: count }, (_, index) => content.readUInt32LE(offset + index * size));
};

test('the programs were compiled from the sources that are here: npm run programs compiles them', async () => {
  expect(await sourceChecksums()).toEqual(checksums.sources);
});

test("the agent's program was bundled from the sources that are here: npm run programs bundles it", async () => {
  expect(await bundleAgent()).toBe(agentProgram);
});

describe.each(every)('$name for $architecture', ({ name, architecture }) => {
  const { content } = containerProgram(name, architecture);

  test('is the one with this checksum', () => {
    expect(checksum(content)).toBe(checksums.programs[`${name}-${architecture}`]);
  });

  test('is small, for its kind of CPU, and needs no other file', () => {
    expect(content.length).toBeLessThan(12_000);
    expect(content.subarray(0, 4).toString('latin1')).toBe('\u007FELF');
    expect(content.readUInt16LE(18)).toBe({ x86_64: 62, aarch64: 183 }[architecture]);
    const [loaded, dynamic, interpreter] = [1, 2, 3];
    expect(segmentsOf(content)).toContain(loaded);
    expect(segmentsOf(content)).not.toContain(dynamic);
    expect(segmentsOf(content)).not.toContain(interpreter);
  });

  test('is what its compiler makes of the sources', async ({ skip }) => {
    const version = await compilerVersion(architecture);
    skip(
      version !== checksums.compilers[architecture],
      `here is ${version ?? 'no compiler'}, and it was compiled by ${checksums.compilers[architecture]}`,
    );
    expect((await compileProgram(name, architecture)).equals(content)).toBe(true);
  });
});

describe('a program as a file of containers', () => {
  test('has a name that no other version has, and that engines take', () => {
    const names = every.map(({ name, architecture }) => containerProgram(name, architecture).name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[\w.-]{1,64}$/);
  });

  test('is found by every name of a kind of CPU', () => {
    expect(containerProgram('probe', 'amd64')).toEqual(containerProgram('probe', 'x86_64'));
    expect(containerProgram('probe', 'arm64')).toEqual(containerProgram('probe', 'aarch64'));
    expect(containerProgram('probe', 'arm64')).toMatchObject({ path: '/.infra/probe', mode: 0o555 });
    expect(() => containerProgram('probe', 'riscv64')).toThrow('this one is riscv64');
  });
});

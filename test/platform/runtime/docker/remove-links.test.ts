import { expect, describe, test } from 'vitest';
import { installPrograms, runnableKinds } from '../../../support/container-programs.ts';

if (runnableKinds.length === 0) test.skip('what removes links, which runs on Linux only', () => {});

describe.each(runnableKinds)('what removes links, for $architecture', async (kind) => {
  const { 'remove-links': removeLinks } = await installPrograms(kind);

  test.each([[[]], [['']], [['lo', 'a-name-of-16-byte']]])('takes no arguments such as %j', async (args) => {
    expect(await removeLinks(args)).toMatchObject({
      code: 2,
      output: '',
      errors: 'infra-remove-links: the names of links are needed, of 1 to 15 bytes\n',
    });
  });

  test('says which link it could not remove', async () => {
    // Nobody may remove this one.
    expect(await removeLinks(['lo'])).toMatchObject({
      code: 1,
      output: '',
      errors: expect.stringMatching(/^infra-remove-links: lo can't be removed: error \d+\n$/),
    });
  });
});

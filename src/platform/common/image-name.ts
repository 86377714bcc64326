import * as z from 'zod';

/** An image with its registry: a first part without dot or port would be a namespace of the public registry. */
export const ImageName = z
  .string()
  .regex(
    /^(?=[^/]*[.:]|localhost\/)[\w.:-]+\/[\w./-]+(?::\w[\w.-]*)?$/,
    'must be an image with its registry, such as docker.io/library/mariadb:11',
  );

import { DIFFERENCES, type DifferenceName } from '../other-platform/differences.ts';
import { testEveryTool } from './every-tool.ts';

const lastOfReading = 18;

testEveryTool([
  ['everything', 'all'],
  ...(Object.keys(DIFFERENCES) as DifferenceName[])
    .filter((name) => DIFFERENCES[name] > lastOfReading)
    .map((name) => [name, { [name]: true }] as const),
]);

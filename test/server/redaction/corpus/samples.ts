import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8');

/** A text with secrets in it, as some program prints it. */
interface Sample {
  readonly text: string;
  readonly secrets: readonly string[];
}

/**
 * The texts of secrets.txt. In the file they stand between lines of `~~~`, every secret between ⟦ and ⟧. Keys of
 * vendors are parted by ‖ there, so that nothing that looks for leaked keys takes these invented ones for real.
 */
export const secretSamples = (): readonly Sample[] =>
  textOf('secrets.txt')
    .replaceAll('‖', '')
    .trimEnd()
    .split('\n~~~\n')
    .map((sample) => ({
      text: sample.replaceAll(/[⟦⟧]/g, ''),
      secrets: Array.from(sample.matchAll(/⟦([^⟧]*)⟧/g), ([, secret = '']) => secret),
    }));

/** The sections of ordinary.txt: what one kind of program writes, without secrets. */
export const ordinaryTexts = (): readonly string[] =>
  textOf('ordinary.txt')
    .split(/^## .*\n/m)
    .filter((section) => section !== '');

import type { Figure, Unit } from './figure.ts';
import { isMet, targetFor } from './targets.ts';

const digits: Readonly<Record<Unit, number>> = { ms: 2, MB: 1, bytes: 0, 'per s': 0, 'per min': 0, '%': 1 };

const number = (value: number, most: number): string => value.toLocaleString('en', { maximumFractionDigits: most });

const formattedValue = ({ value, unit }: Figure): string => `${number(value, digits[unit])} ${unit}`;

/** A figure in words: its name, value, ratio and target. */
export function figureCells(
  measurement: string,
  figure: Figure,
): readonly [name: string, value: string, ratio: string, target: string] {
  const target = targetFor(measurement, figure.name);
  const ratio = figure.ratio === undefined ? '' : `${figure.ratio.toFixed(2)} × ${figure.of}`;
  const aim =
    target === undefined ? '' : `${target.bound} ${target.ratio} ×: ${isMet(target, figure) ? 'met' : 'missed'}`;
  return [figure.name, formattedValue(figure), ratio, aim];
}

/** The figures of one measurement as an aligned Markdown table. */
export function measurementTable(measurement: string, figures: readonly Figure[]): string {
  const rows = figures.map((figure) => figureCells(measurement, figure));
  const lines = [[measurement, 'measured', 'ratio', 'target'], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...lines.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 1 ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!))).join(' | ')} |\n`;
  const rule = `|${widths.map((width, column) => (column === 1 ? `${'-'.repeat(width + 1)}:` : '-'.repeat(width + 2))).join('|')}|\n`;
  return line(lines[0]!) + rule + lines.slice(1).map(line).join('');
}

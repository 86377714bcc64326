import { expect, test } from 'vitest';
import { fillIn } from '../../scripts/shipping/template.ts';

const scope = { Values: { name: 'a "b"', tag: '', env: { Z: 1, A: 2 }, list: [{ x: 1 }] }, Chart: { AppVersion: '1.2.3' } };

test.each([
  ['{{ .Values.name | quote }}', '"a \\"b\\""'],
  ['tag: {{ .Values.tag | default .Chart.AppVersion }}', 'tag: 1.2.3'],
  ['env:\n{{- range $name, $value := .Values.env }}\n  {{ $name }}: {{ $value }}\n{{- end }}\nend', 'env:\n  A: 2\n  Z: 1\nend'],
  ['list:\n  {{- toYaml .Values.list | nindent 2 }}', 'list:\n  - x: 1'],
  ['{{- define "greet" -}}hello {{ .Chart.AppVersion }}{{- end -}}\n{{ include "greet" . }}!', 'hello 1.2.3!'],
])('%j is filled in', (template, text) => {
  expect(fillIn([template], scope)).toEqual([text]);
});

test.each([
  ['{{ .Values.nothing }}', '.Values.nothing'],
  ['{{ .Values.name | upper }}', 'upper'],
  ['{{ if .Values.name }}', 'if'],
  ['{{ include "nothing" . }}', 'nothing'],
])('%j is not guessed at', (template, says) => {
  expect(() => fillIn([template], scope)).toThrow(says);
});

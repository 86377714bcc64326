import { expect, test } from 'vitest';
import { fillIn } from '../../scripts/shipping/template.ts';

const scope = {
  Values: { name: 'a "b"', tag: '', env: { Z: 1, A: 2 }, list: [{ x: 1 }], words: ['b', 'a'] },
  url: 'https://mcp.example.com:8443/mcp',
  Chart: { AppVersion: '1.2.3' },
};

test.each([
  ['{{ .Values.name | quote }}', '"a \\"b\\""'],
  ['tag: {{ .Values.tag | default .Chart.AppVersion }}', 'tag: 1.2.3'],
  [
    'env:\n{{- range $name, $value := .Values.env }}\n  {{ $name }}: {{ $value }}\n{{- end }}\nend',
    'env:\n  A: 2\n  Z: 1\nend',
  ],
  ['list:\n  {{- toYaml .Values.list | nindent 2 }}', 'list:\n  - x: 1'],
  ['{{- define "greet" -}}hello {{ .Chart.AppVersion }}{{- end -}}\n{{ include "greet" . }}!', 'hello 1.2.3!'],
  ['{{ if .Values.tag }}a{{ else if .Values.list }}b{{ else }}c{{ end }}', 'b'],
  ['{{ if not .Values.list }}a{{ else }}b{{ end }}{{ if or .Values.tag .Values.name }}c{{ end }}', 'bc'],
  ['{{ if and .Values.name .Values.tag }}a{{ else }}b{{ end }}{{ if and .Values.name .Values.words }}c{{ end }}', 'bc'],
  [
    '{{- range $index, $one := .Values.words }}{{ $index }}{{ $one }} {{ include "name" $ }};{{ end }}{{ define "name" }}{{ .Values.name }}{{ end }}',
    '0b a "b";1a a "b";',
  ],
  ['{{ .Chart.AppVersion | trunc 4 | trimSuffix "." }}', '1.2'],
  ['{{ .Values.tag | default (get (urlParse .url) "hostname") }}', 'mcp.example.com'],
])('%j is filled in', (template, text) => {
  expect(fillIn([template], scope)).toEqual([text]);
});

test.each([
  ['{{ .Values.nothing }}', '.Values.nothing'],
  ['{{ .Values.name | upper }}', 'upper'],
  ['{{ with .Values.name }}', 'with'],
  ['{{ range $index, $one := .Values.words }}{{ .Values.name }}{{ end }}', '.Values.name'],
  ['{{ include "nothing" . }}', 'nothing'],
])('%j is not guessed at', (template, says) => {
  expect(() => fillIn([template], scope)).toThrow(says);
});

{{- define "infra-mcp.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{ .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else -}}
{{ .Release.Name | trunc 42 | trimSuffix "-" }}-{{ .Chart.Name }}
{{- end -}}
{{- end -}}

{{- define "infra-mcp.secretName" -}}
{{ .Values.secretName | default (include "infra-mcp.fullname" .) }}
{{- end -}}

{{- define "infra-mcp.host" -}}
{{ get (urlParse .Values.env.INFRA_HTTP_PUBLIC_URL) "hostname" }}
{{- end -}}

{{- define "infra-mcp.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "infra-mcp.labels" -}}
{{ include "infra-mcp.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "infra-mcp.metricsName" -}}
{{ include "infra-mcp.fullname" . }}-metrics
{{- end -}}

{{- define "infra-mcp.sendsTraces" -}}
{{ or (get .Values.env "OTEL_EXPORTER_OTLP_ENDPOINT") (get .Values.env "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") (get .Values.secretEnv "OTEL_EXPORTER_OTLP_ENDPOINT") (get .Values.secretEnv "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") }}
{{- end -}}

{{- define "infra-mcp.notifiesOperators" -}}
{{ or (get .Values.env "INFRA_APPROVALS_WEBHOOK_URL") (get .Values.secretEnv "INFRA_APPROVALS_WEBHOOK_URL") }}
{{- end -}}

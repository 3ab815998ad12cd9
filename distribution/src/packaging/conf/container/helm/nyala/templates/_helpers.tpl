{{- define "nyala.peers" -}}
{{ .Release.Name }}-peers.{{ .Release.Namespace }}.svc.{{ .Values.domain }}
{{- end }}

{{- define "nyala.members" -}}
{{- $names := list }}
{{- range $i := until (int .Values.cluster.members) }}
{{- $names = append $names (printf "%s-%d.%s:7389" $.Release.Name $i (include "nyala.peers" $)) }}
{{- end }}
{{- join " " $names }}
{{- end }}

{{- define "nyala.selector" -}}
app.kubernetes.io/name: nyala
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

/** The shells with a completion script. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/**
 * The completion script of each shell. The words of the command line go to the program as arguments, never through
 * eval. If the program suggests nothing, the shell suggests files.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# Put this into ~/.bashrc: eval "$(infra-mcp completion bash)"
_infra_mcp() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    COMPREPLY+=("$word")
  done < <(infra-mcp complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _infra_mcp infra-mcp
`,
  zsh: `#compdef infra-mcp
# Put this into ~/.zshrc, after compinit: eval "$(infra-mcp completion zsh)"
_infra_mcp() {
  local line word
  local -a found
  while IFS= read -r line; do
    word="\${line%%$'\\t'*}"
    found+=("\${word//:/\\\\:}:\${line#*$'\\t'}")
  done < <(infra-mcp complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then _describe 'infra-mcp' found; else _files; fi
}
compdef _infra_mcp infra-mcp
`,
  fish: `# Put this into ~/.config/fish/config.fish: infra-mcp completion fish | source
function __infra_mcp
  set -l words (commandline -opc) (commandline -ct)
  set -l found (infra-mcp complete -- $words[2..-1] 2>/dev/null)
  if set -q found[1]
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c infra-mcp -f -a '(__infra_mcp)'
`,
};

/** `infra-mcp completion`: prints a shell's completion script. */
export const completionCommand = (shell: Shell): void => void process.stdout.write(scripts[shell]);

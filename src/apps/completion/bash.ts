// Tested by test/apps/completion/completion.test.ts
import { type Place, quoted, spellings } from './completion-table.js';

/** For bash 3.2, which macOS has, and later. */
export function bashScript(table: readonly Place[]): string {
  const names = table.slice(1).map(({ name }) => quoted(name));
  return `# Completion of xpass for bash; made by \`xpass completion bash\`.
_xpass() {
  local cur=\${COMP_WORDS[COMP_CWORD]} option=\${COMP_WORDS[COMP_CWORD - 1]} command='' next words='' at
  COMPREPLY=()
  # --name=value comes as three words.
  if [[ $cur == = ]]; then cur=''
  elif [[ $option == = ]]; then option=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    next="\${command:+$command }\${COMP_WORDS[at]}"
    case $next in
      ${names.join(' | ')}) command=$next ;;
      *) break ;;
    esac
  done
  case "$command $option" in
${table.flatMap(valueCases).join('\n')}
  esac
  if [[ -z $words && $cur == -* ]]; then
    case $command in
${table.map(optionCase).join('\n')}
    esac
  elif [[ -z $words ]]; then
    case $command in
${table.filter(hasWords).map(wordCase).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _xpass xpass
`;
}

/** Options with a value: its words, or files. */
function valueCases({ name, options }: Place): string[] {
  return options
    .filter(({ isFlag }) => !isFlag)
    .map((option) => {
      const patterns = spellings(option).map((spelling) => quoted(`${name} ${spelling}`));
      const action = option.words.length === 0 ? 'return' : `words=${quoted(option.words.join(' '))}`;
      return `    ${patterns.join(' | ')}) ${action} ;;`;
    });
}

function optionCase({ name, options }: Place): string {
  return `      ${quoted(name)}) words=${quoted(options.flatMap(spellings).join(' '))} ;;`;
}

function hasWords({ words }: Place): boolean {
  return words.length > 0;
}

function wordCase({ name, words }: Place): string {
  return `      ${quoted(name)}) words=${quoted(words.map(([word]) => word).join(' '))} ;;`;
}

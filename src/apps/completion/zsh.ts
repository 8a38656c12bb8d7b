// Tested by test/apps/completion/completion.test.ts
import { type Completed, type Place, quoted, type Word } from './completion-table.js';

/** A function for the completion system of zsh, zshcompsys(1). */
export function zshScript(table: readonly Place[]): string {
  const names = table.slice(1).map(({ name }) => quoted(name));
  return `#compdef xpass
# Completion of xpass for zsh; made by \`xpass completion zsh\`.
_xpass() {
  local command='' next
  while ((CURRENT > 2)); do
    next="\${command:+$command }\${words[2]}"
    case $next in
      ${names.join(' | ')}) command=$next ;;
      *) break ;;
    esac
    shift words
    ((CURRENT--))
  done
  case $command in
${table.map(placeCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _xpass ]]; then
  _xpass "$@"
else
  compdef _xpass xpass
fi
`;
}

function placeCase({ name, words, options }: Place): string {
  const first = words.length === 0 ? [] : [quoted(`1:word:((${words.map(wordSpec).join(' ')}))`)];
  const specs = [...options.flatMap(optionSpecs), ...first, quoted('*:file:_files')];
  return `    ${quoted(name)})\n      _arguments ${specs.join(' \\\n        ')}\n      ;;`;
}

function wordSpec([word, meaning]: Word): string {
  return meaning === '' ? word : `${word}\\:"${escaped(meaning).replaceAll('"', '')}"`;
}

/** Any option may come again: lists do, and what may not is said by the command. */
function optionSpecs({ name, alias, meaning, isFlag, words }: Completed): string[] {
  const action = words.length === 0 ? '_files' : `(${words.join(' ')})`;
  const tail = `[${escaped(meaning)}]${isFlag ? '' : `:value:${action}`}`;
  const short = alias === undefined ? [] : [quoted(`*-${alias}${isFlag ? '' : '+'}${tail}`)];
  return [...short, quoted(`*--${name}${isFlag ? '' : '='}${tail}`)];
}

function escaped(text: string): string {
  return text.replace(/[\\[\]:]/g, '\\$&');
}

// Tested by test/apps/completion/completion.test.ts
import type { Completed, Place } from './completion-table.js';

/** For fish 3.0 and later. */
export function fishScript(table: readonly Place[]): string {
  const names = table.slice(1).map(({ name }) => quotedForFish(name));
  return `# Completion of xpass for fish; made by \`xpass completion fish\`.
function __xpass_at
    set -l command ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$command $word")
        contains -- $next ${names.join(' ')}; or break
        set command $next
    end
    test "$command" = "$argv[1]"
end
${table.flatMap(placeLines).join('\n')}
`;
}

function placeLines({ name, words, options }: Place): string[] {
  const head = `complete -c xpass -n ${quotedForFish(`__xpass_at "${name}"`)}`;
  const offered = words.map(([word, meaning]) => {
    const about = meaning === '' ? '' : ` -d ${quotedForFish(meaning)}`;
    return `${head} -f -a ${quotedForFish(word)}${about}`;
  });
  return [...offered, ...options.map((option) => `${head} ${optionWords(option)}`)];
}

function optionWords({ name, alias, meaning, isFlag, words }: Completed): string {
  const values = words.length === 0 ? [] : ['-f', '-a', quotedForFish(words.join(' '))];
  return [
    '-l',
    name,
    ...(alias === undefined ? [] : ['-s', alias]),
    ...(isFlag ? [] : ['-r', ...values]),
    '-d',
    quotedForFish(meaning),
  ].join(' ');
}

/** In single quotes fish knows two escapes. */
function quotedForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

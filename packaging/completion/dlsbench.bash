# bash completion of dlsbench: the program itself says what it takes.
_dlsbench()
{
    local word=$2 command=${COMP_WORDS[1]} line=${COMP_LINE:0:COMP_POINT}
    local -a asked=("$1")
    # What follows `--` belongs to another program.
    case $line in *' -- '*) COMPREPLY=(); return ;; esac
    [ "$COMP_CWORD" -gt 1 ] && asked+=("$command")
    # bash cuts words at '='.
    [ "${COMP_WORDS[COMP_CWORD]}" = = ] && word=
    [[ ${line##* } == --*=* ]] && word=${line##* }
    mapfile -t COMPREPLY < <("${asked[@]}" --help=complete 2>/dev/null |
        cut -f 1 | grep -F -- "$word" | grep "^${word//[^a-zA-Z0-9=_-]/.}")
    if [[ $word == --*=* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${word%%=*}="}")
    elif [[ $COMP_CWORD -gt 1 && $word != -* ]]; then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word")
        compopt -o filenames 2>/dev/null
    fi
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}
complete -F _dlsbench dlsbench

# Completion of ddtscope for bash. Written when ddtscope was built, from the options that it takes.

# What may stand behind an option of a verb, as a kind and words, in `offered`. Status 1 where it takes no value.
_ddtscope_value() {
  case $1,$2 in
@VALUES@
    *) return 1 ;;
  esac
}

_ddtscope_options() {
  case $1 in
@OPTIONS@
  esac
}

_ddtscope_positional() {
  case $1 in
@POSITIONALS@
  esac
}

# _ddtscope_reply WORD KIND [WORDS]: what of these begins with WORD
_ddtscope_reply() {
  local word=$1 kind=$2 before=
  shift 2
  case $kind in
    words) mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word") ;;
    list)
      [[ $word != *,* ]] || before=${word%,*},
      mapfile -t COMPREPLY < <(compgen -P "$before" -W "$*" -- "${word##*,}")
      compopt -o nospace 2>/dev/null
      ;;
    files | folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen "$([[ $kind == files ]] && echo -f || echo -d)" -- "$word")
      ;;
    programs)
      [[ $word != */* ]] || compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -c -- "$word")
      ;;
  esac
}

# Where the words of the program begin that a verb runs: behind `--`, and with exec at the first that is no option and no
# option's value. In `begin`; the number of words where there is none.
_ddtscope_program() {
  local verb=$1 offered word
  for ((begin = 2; begin < COMP_CWORD; ++begin)); do
    word=${COMP_WORDS[begin]}
    if [[ $word == -- ]]; then
      ((++begin))
      return
    elif [[ $word == -* && ${COMP_WORDS[begin + 1]} == = ]]; then
      ((begin += 2))
    elif _ddtscope_value "$verb" "$word"; then
      ((++begin))
    elif [[ $word != -* && $verb == exec ]]; then
      return
    fi
  done
  if ((begin > COMP_CWORD)) || [[ $verb != exec || ${COMP_WORDS[begin]} == -* ]]; then begin=${#COMP_WORDS[@]}; fi
}

_ddtscope() {
  local offered=() verb=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} begin
  COMPREPLY=()
  # To bash `--view=grid` is three words.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]] && ((COMP_CWORD > 2)); then
    before=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if ((COMP_CWORD == 1)); then
@VERBS@
    _ddtscope_reply "$word" "${offered[@]}"
    return
  fi
  if [[ $verb == @(exec|gdb|lldb) ]]; then
    _ddtscope_program "$verb"
    if ((begin == COMP_CWORD)); then
      _ddtscope_reply "$word" programs
      return
    elif ((begin < COMP_CWORD)); then
      if declare -F _command_offset >/dev/null; then
        _command_offset "$begin"
      else
        _ddtscope_reply "$word" files
      fi
      return
    fi
  fi
  if ! _ddtscope_value "$verb" "$before"; then
    if [[ $word == -* ]]; then _ddtscope_options "$verb"; else _ddtscope_positional "$verb"; fi
  fi
  ((${#offered[@]} == 0)) || _ddtscope_reply "$word" "${offered[@]}"
}

complete -F _ddtscope ddtscope

#compdef ddtscope
# Completion of ddtscope for zsh. Written when ddtscope was built, from the options that it takes.

_ddtscope() {
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C '(- *)'{-h,--help}'[what there is]' '(- *)--version[which version it is]' '1:verb:->verb' '*::word:->word'
  case $state in
    verb)
      local -a verbs=(
@VERBS@
      )
      _describe verb verbs
      ;;
    word)
      curcontext="${curcontext%:*:*}:ddtscope-$words[1]:"
      case $words[1] in
@OPTIONS@
      esac
      ;;
  esac
}

_ddtscope "$@"

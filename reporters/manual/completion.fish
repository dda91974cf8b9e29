# Completion of ddtscope for fish. Written when ddtscope was built, from the options that it takes.

# Whether that is the verb of the command line.
function __ddtscope_verb
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
end

# The program that a verb runs, and its words, completed as if they stood alone.
function __ddtscope_program
    set -l words (commandline -opc)
    if set -l mark (contains -i -- -- $words)
        complete -C (string join ' ' -- $words[(math $mark + 1)..-1] (commandline -ct))
    else
        __fish_complete_command
    end
end

@VERBS@
complete -c ddtscope -n __fish_use_subcommand -f -s h -l help -d 'what there is'
complete -c ddtscope -n __fish_use_subcommand -f -l version -d 'which version it is'
@OPTIONS@

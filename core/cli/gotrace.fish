# SPDX-License-Identifier: BSD-2-Clause
# Completion of gotrace's verbs, options and their values in fish. All of them are what the command itself prints.

# The values of an option that takes one of a few words: gotrace lists them when it is given another one.
function __gotrace_values # VERB OPTION
    gotrace $argv[1] "$argv[2]=?" --none 2>&1 </dev/null |
        string replace -rf ".* '\\?'(?:; there are| is not) ([a-z0-9-]+(?:, [a-z0-9-]+)*(?: (?:and|or) [a-z0-9-]+)?)\$" '$1' |
        string replace -ra ',| and | or ' ' ' | string split -n ' '
end

# The binary that the command line is about: of plan, its file; of record and overhead, the command, --exe or the process of --pid; of top, that.
function __gotrace_binary # VERB WORD...
    set -l verb $argv[1]
    set -l previous ''
    for word in $argv[2..]
        switch "$verb $previous"
            case 'record --' 'record --exe' 'overhead --' 'overhead --exe' 'plan *'
                if not string match -q -- '-*' $word; and test -f $word -a -x $word
                    echo $word
                    return
                end
            case 'record --pid' 'top --pid'
                echo /proc/$word/exe
                return
        end
        switch $word
            case '--exe=*'
                string replace -- '--exe=' '' $word
                return
            case '--pid=*'
                echo /proc/(string replace -- '--pid=' '' $word)/exe
                return
        end
        set previous $word
    end
    return 1
end

function __gotrace_names # BINARY function|package
    set -l what '(.*)'
    test $argv[2] = package; and set what '((?:[^(\\[]*/)?[^./(\\[]+)[^"]*'
    gotrace plan -F json -p all -p runtime $argv[1] 2>/dev/null | string replace -rf '^ *"name": "'$what'",?$' '$1' | sort -u
end

function __gotrace_complete
    set -l words (commandline -xpc 2>/dev/null; or commandline -opc)
    set -l all (commandline -xp 2>/dev/null; or commandline -op)
    set -l word (commandline -ct)
    if test (count $words) -lt 2
        printf '%s\n' --help --version
        gotrace --help 2>/dev/null | string replace -rf '^  ([a-z]+)  .*' '$1'
        return
    end
    set -l verb $words[2]
    if contains -- $verb record sample overhead; and contains -- -- $words
        __fish_complete_path $word
        return
    end
    set -l option ''
    set -l before ''
    if string match -qr -- '^--.*=' $word
        set option (string replace -r -- '=.*' '' $word)
        set before $option=
    else if string match -qr -- '^-[a-zA-Z]$' $words[-1]
        set option $words[-1]
    end
    switch "$option"
        case -f --function -x --exclude --args --ret --key
            set -l binary (__gotrace_binary $verb $all[3..]); and printf "$before%s\n" (__gotrace_names $binary function)
        case -p --package
            set -l binary (__gotrace_binary $verb $all[3..]); and printf "$before%s\n" (__gotrace_names $binary package)
        case --user
            printf "$before%s\n" (__fish_complete_users | string replace -r '\t.*' '')
        case '--*'
            set -l values (__gotrace_values $verb $option)
            test (count $values) -gt 0; and printf "$before%s\n" $values; or __fish_complete_path $word
        case '-*'
            __fish_complete_path $word
        case '*'
            if string match -q -- '-*' $word
                gotrace $verb --usage 2>/dev/null | string match -v -r '^ *or:' | string match -ar -- '--[a-z][a-z-]*=?'
            else
                __fish_complete_path $word
            end
    end
end

complete -c gotrace -f -a '(__gotrace_complete)'

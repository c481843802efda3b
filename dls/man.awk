# A manual page from a public header: its comments are the text, the
# declarations stand between them as they are.  PAGE, VERSION, LIBRARY: names.

function escaped(text)
{
    gsub(/\\/, "\\e", text)
    gsub(/-/, "\\-", text)
    if (text ~ /^[.']/)
        text = "\\\&" text
    return text
}

function literal(on)
{
    if (on == is_literal)
        return
    print on ? ".PP\n.nf" : ".fi"
    is_literal = on
}

function say(text)
{
    if (text == "") {
        literal(0)
        print ".PP"
    } else if (text ~ /^    / || text ~ /^  .*   /) {
        literal(1)
        print escaped(text)
    } else {
        literal(0)
        if (text ~ /^- /) {
            print ".IP \\- 2"
            sub(/^- /, "", text)
        }
        sub(/^ +/, "", text)
        print escaped(text)
    }
}

BEGIN {
    print ".TH " toupper(PAGE) " 3 \"\" \"libdls " VERSION "\" \"libdls\""
}

/^#ifndef|^#ifdef|^#endif|^#include <std|^extern "C"|^}$/ { next }
/^#define [A-Z_]*_H$/ { next }

# The first line names the library, and says what it is.
NR == 1 {
    sub(/^\/\* [^:]*: /, "")
    sub(/\.$/, "")
    print ".SH NAME"
    print PAGE " \\- " escaped($0)
    print ".SH SYNOPSIS\n.nf\n#include <" PAGE ".h>\n"
    print "pkg\\-config \\-\\-cflags \\-\\-libs " escaped(LIBRARY) "\n.fi"
    print ".SH DESCRIPTION"
    in_comment = 1
    next
}

/^\/\* ---- .* ---- \*\/$/ {
    literal(0)
    gsub(/^\/\* ---- | ---- \*\/$/, "")
    print ".SH " toupper($0)
    next
}

/^\/\*/ {
    in_comment = 1
    literal(0)
    print ".PP"
    sub(/^\/\* ?/, "")
    if ($0 == "")
        next
}

in_comment {
    ends = /\*\/$/
    sub(/ ?\*\/$/, "")
    sub(/^ \* ?/, "")
    if (!(ends && $0 == ""))
        say($0)
    in_comment = !ends
    next
}

$0 == "" { next }
{
    literal(1)
    print escaped($0)
}

END {
    literal(0)
    print ".SH SEE ALSO\n.BR dls (3),\n.BR dls_mpi (3),\n.BR dlsbench (1)"
}

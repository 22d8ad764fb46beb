# Prints the scalars of Kubernetes manifests, one a line, as Kind.path[i].key=value.
# It reads block YAML of plain and double-quoted scalars, which is what the manifests
# are written in, and refuses the rest. Quotes are kept: a ConfigMap needs them.

function refuse(what) {
  printf "%s:%d: %s: %s\n", FILENAME, FNR, what, $0 >"/dev/stderr"
  bad = 1
  exit 1
}

function path(   i, p) {
  for (i = 1; i <= depth; i++) p = p (key[i] == "" ? "[" item[i] "]" : "." key[i])
  return p
}

function scalar(text) {
  if (text !~ /^("[^"\\]*"|[^]["'{}|>&*!%@`#,][^"#]*)$/ || text ~ /^[^"].*:( |$)/)
    refuse("not a plain or double-quoted scalar")
  if (seen[documents, path()]++) refuse("it stands twice")
  held[++count] = path() "=" text
  if (path() == ".kind") kind = text
}

function finish(   i) {
  if (count && kind == "") refuse("a document without a kind")
  for (i = 1; i <= count; i++) print kind held[i]
  count = depth = 0
  kind = ""
  documents++
}

/\t|\r/ { refuse("a tab or a carriage return") }
/^ *(#|$)/ { next }
/^---$/ { finish(); next }
{
  sub(/ +#.*$/, "")
  sub(/ +$/, "")
  match($0, /^ */)
  at = RLENGTH
  text = substr($0, at + 1)
  while (text ~ /^- /) {
    while (depth && (column[depth] > at || column[depth] == at && key[depth] != "")) depth--
    if (depth && column[depth] == at) item[depth]++
    else { column[++depth] = at; key[depth] = ""; item[depth] = 0 }
    text = substr(text, 3)
    at += 2
  }
  while (depth && column[depth] >= at) depth--
  if (match(text, /^[A-Za-z_]+:( |$)/)) {
    column[++depth] = at
    key[depth] = substr(text, 1, index(text, ":") - 1)
    text = substr(text, RLENGTH + 1)
    if (text == "") next
  } else if (!depth || key[depth] != "") refuse("neither key nor item")
  scalar(text)
}
END { if (!bad) finish() }

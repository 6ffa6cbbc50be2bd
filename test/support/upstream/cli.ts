import { parseArgs } from 'node:util';
import { behaviourNamedBy, CATALOGUE } from './catalogue';
import { ScriptedUpstream } from './scripted-upstream';

/** Runs the upstream for people: `node -r ./test/support/register-swc.js test/support/upstream/cli.ts`. */

const USAGE = `Usage: cli.ts [--port 4010] [--behaviour json]

Answers every call with the behaviour named, or with the one that the call itself names: in the header X-Behaviour,
as the value of a query parameter (?SearchTerm=drips) or as the last part of the path (/shippings/by-id/drips).

Behaviours:
  ${[...CATALOGUE.keys()].join('\n  ')}
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '4010' },
      behaviour: { type: 'string', default: 'json' },
      help: { type: 'boolean', default: false },
    },
  });
  const byDefault = CATALOGUE.get(values.behaviour);
  const port = Number(values.port);
  if (values.help || byDefault === undefined || !Number.isInteger(port) || port < 0 || port > 65_535) {
    process.stdout.write(USAGE);
    process.exitCode = values.help ? 0 : 1;
    return;
  }
  const upstream = await ScriptedUpstream.start({ port });
  upstream.respondWith((call) => {
    process.stdout.write(`${call.method} ${call.target}\n`);
    return behaviourNamedBy(call) ?? byDefault();
  });
  process.stdout.write(`${USAGE}\nListening on ${upstream.url}, answering ${values.behaviour}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void upstream.close());
  }
}

void main();

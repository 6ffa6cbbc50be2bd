import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  AppModule,
  configureApp,
  createAdapter,
  loadEnvFile,
  readSettings,
  SettingsError,
  StandardProtocol,
} from 'shipping-query-service';
import { ShipEngineProtocol } from '../shipengine/shipengine.protocol';

/**
 * The two applications of this process: the name of their external system, which is also the prefix of their variables,
 * and the class that knows its wire format. `NORTH_PORT` is the `PORT` of the first. Variables without a prefix, such as
 * `LOG_LEVEL`, are for both. `haproxy.cfg` serves both at one address.
 */
const SYSTEMS = { north: StandardProtocol, south: ShipEngineProtocol };

/** The environment of one application: all variables, and those with its prefix once more without the prefix. */
function environmentOf(prefix: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith(prefix));
  return { ...process.env, ...Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])) };
}

async function main(): Promise<void> {
  loadEnvFile();
  for (const [system, protocol] of Object.entries(SYSTEMS)) {
    const settings = readSettings(environmentOf(`${system.toUpperCase()}_`));
    const module = AppModule.withProtocol(protocol, { settings, system });
    const app = await NestFactory.create<NestFastifyApplication>(module, createAdapter(settings), { bufferLogs: true });
    await configureApp(app);
    await app.listen(settings.port, settings.host);
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof SettingsError ? error.message : String(error)}\n`);
  process.exit(1);
});

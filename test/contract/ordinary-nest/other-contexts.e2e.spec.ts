import { BadRequestException, Controller, type ExceptionFilter, Module, type Type } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { type ClientProxy, ClientProxyFactory, MessagePattern, RpcException, Transport } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { lastValueFrom } from 'rxjs';
import { AuthenticationGuard, ProblemFilter, RateLimitGuard } from '../../../src';
import { KeyServer } from '../../../testing/key-server';
import { createTestingApp } from '../../../testing/testing-app';
import { freePort } from '../../support/free-port';
import { useStarted } from '../../support/started';

@Controller()
class MessagesController {
  @MessagePattern('sum')
  sum(numbers: readonly number[]): number {
    return numbers.reduce((sum, each) => sum + each, 0);
  }

  @MessagePattern('rpc')
  rpc(): never {
    throw new RpcException('No such carrier');
  }

  @MessagePattern('http')
  http(): never {
    throw new BadRequestException('Bad carrier');
  }

  @MessagePattern('error')
  error(): never {
    throw new Error('hidden');
  }
}

@Module({ controllers: [MessagesController] })
class MessagesModule {}

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('D83 a hybrid application with the configuration of the service', () => {
  const keyServer = useStarted(() => KeyServer.start());
  let apps: NestFastifyApplication[];
  let clients: ClientProxy[];

  async function connect(app: NestFastifyApplication): Promise<ClientProxy> {
    const options = { host: '127.0.0.1', port: await freePort() };
    app.connectMicroservice({ transport: Transport.TCP, options }, { inheritAppConfig: true });
    await app.init();
    await app.startAllMicroservices();
    return ClientProxyFactory.create({ transport: Transport.TCP, options });
  }

  beforeAll(async () => {
    const imports = [MessagesModule];
    const plain = await Test.createTestingModule({ imports }).setLogger(SILENT).compile();
    apps = [
      await createTestingApp({ imports, env: { ...keyServer().env, RATE_LIMIT_MAX: '1' } }),
      plain.createNestApplication<NestFastifyApplication>(new FastifyAdapter()),
    ];
    clients = [];
    for (const app of apps) clients.push(await connect(app));
  });
  afterAll(async () => {
    for (const client of clients) await client.close();
    for (const app of apps) await app.close();
  });

  it.each(['sum', 'rpc', 'http', 'error', 'sum'])('as by Nest: %s', async (pattern) => {
    const results = clients.map((client) =>
      lastValueFrom(client.send<unknown>(pattern, [1, 2])).catch((error: unknown) => ({ thrown: error })),
    );
    const [ours, theirs] = await Promise.all(results);
    expect(ours).toEqual(theirs);
  });
});

describe('D83 GraphQL resolvers', () => {
  const keyServer = useStarted(() => KeyServer.start());
  const app = useStarted(() => createTestingApp({ env: { ...keyServer().env, RATE_LIMIT_MAX: '2' } }));

  /** The arguments that Nest hands over for a resolver: parent, arguments, context and info. */
  function resolver(context: object, type = 'graphql'): ExecutionContextHost {
    const host = new ExecutionContextHost([{}, {}, context, {}], class {} as Type, () => undefined);
    host.setType(type);
    return host;
  }
  const request = (authorization?: string): object => ({ headers: { authorization }, ip: '127.0.0.1' });

  it('an exception is left to Nest, which rethrows it to GraphQL', () => {
    const filter: ExceptionFilter = app().get(ProblemFilter);
    expect(filter.catch(new Error('hidden'), resolver({}))).toBeUndefined();
  });

  it('D76 a resolver needs the credential of its request', async () => {
    const guard = app().get(AuthenticationGuard);
    const authorization = `Bearer ${await keyServer().sign({ sub: 'somebody' })}`;
    const allowed = { req: request(authorization) };
    expect(await guard.canActivate(resolver(allowed))).toBe(true);
    expect(allowed.req).toMatchObject({ user: { subject: 'somebody' } });
    for (const context of [{ req: request() }, { reply: { request: request('Bearer x') } }]) {
      await expect(guard.canActivate(resolver(context))).rejects.toMatchObject({ status: 401 });
    }
  });

  it.each(['graphql', 'rpc', 'ws'])('without an HTTP request nothing is counted: %s', async (type) => {
    for (let message = 0; message < 3; message++) {
      expect(await app().get(AuthenticationGuard).canActivate(resolver({}, type))).toBe(true);
      expect(await app().get(RateLimitGuard).canActivate(resolver({}, type))).toBe(true);
    }
  });
});

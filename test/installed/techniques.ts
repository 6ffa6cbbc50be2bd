import cookie from '@fastify/cookie';
import multipart from '@fastify/multipart';
import session from '@fastify/session';
import { HttpModule, HttpService } from '@nestjs/axios';
import { CacheInterceptor, CacheModule } from '@nestjs/cache-manager';
import {
  ClassSerializerInterceptor,
  Controller,
  Get,
  Header,
  Post,
  Render,
  Req,
  Res,
  Sse,
  StreamableFile,
  UseInterceptors,
} from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { EventEmitter2, EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Cron, ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { Exclude } from 'class-transformer';
import type { FastifyReply, FastifyRequest } from 'fastify';
import handlebars from 'handlebars';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastValueFrom, of } from 'rxjs';
import { get, type Recipe } from './applications.js';

const folder = mkdtempSync(join(tmpdir(), 'views-'));
writeFileSync(join(folder, 'index.hbs'), '<p>{{ message }}</p>');

class User {
  name = 'somebody';

  @Exclude()
  password = 'hidden';
}

@Controller('t')
class TechniquesController {
  private calls = 0;

  constructor(
    private readonly config: ConfigService,
    private readonly http: HttpService,
    private readonly events: EventEmitter2,
  ) {}

  @Get('cached')
  @UseInterceptors(CacheInterceptor)
  cached() {
    return { calls: (this.calls += 1) };
  }

  @Get('config')
  configured() {
    return { value: this.config.get('team.value') };
  }

  @Get('cookies')
  cookies(@Req() request: FastifyRequest & { cookies: object }, @Res({ passthrough: true }) reply: FastifyReply) {
    (reply as unknown as { setCookie(...values: string[]): void }).setCookie('b', '2');
    return request.cookies;
  }

  @Get('events')
  emit() {
    const received: unknown[] = [];
    this.events.emit('carrier.marked', received);
    return received;
  }

  @OnEvent('carrier.marked')
  onMarked(received: unknown[]) {
    received.push('marked');
  }

  @Post('file')
  async upload(
    @Req() request: FastifyRequest & { file(): Promise<{ filename: string; toBuffer(): Promise<Buffer> }> },
  ) {
    const file = await request.file();
    return { name: file.filename, size: (await file.toBuffer()).length };
  }

  @Get('http')
  async request() {
    this.http.axiosRef.defaults.adapter = async (config) => ({
      data: 'a',
      status: 200,
      statusText: '',
      headers: {},
      config,
    });
    return { data: (await lastValueFrom(this.http.get('http://carrier.example'))).data };
  }

  @Get('page')
  @Render('index.hbs')
  page() {
    return { message: 'a message' };
  }

  @Get('route')
  @RouteConfig({ output: 'hello world!' })
  @Header('X-Team', 'a')
  route(@Req() request: FastifyRequest) {
    return request.routeOptions.config;
  }

  @Get('user')
  @UseInterceptors(ClassSerializerInterceptor)
  user() {
    return new User();
  }

  @Sse('sse')
  sse() {
    return of({ data: { a: 1 } }, { data: 'b' });
  }

  @Get('session')
  visits(@Req() request: FastifyRequest & { session: { visits?: number } }) {
    request.session.visits = (request.session.visits ?? 0) + 1;
    return { visits: request.session.visits };
  }

  @Get('stream')
  stream() {
    return new StreamableFile(Buffer.from('a file'), { type: 'text/csv', disposition: 'attachment' });
  }

  @Cron('0 0 1 1 *', { name: 'yearly' })
  yearly() {
    return undefined;
  }
}

const COMMON: Pick<Recipe, 'imports' | 'controllers'> = {
  imports: [
    CacheModule.register(),
    ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ team: { value: 7 } })] }),
    EventEmitterModule.forRoot(),
    HttpModule,
    ScheduleModule.forRoot(),
  ],
  controllers: [TechniquesController],
};

const MULTIPART = [
  '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\n',
  'content\r\n--x--\r\n',
].join('');

const only = (probe: Recipe['probe'], prepare?: Recipe['prepare']): Recipe => ({ ...COMMON, probe, prepare });

export const techniques: Record<string, Recipe> = {
  'techniques/caching': only(async (app) => [await get(app, '/t/cached'), await get(app, '/t/cached')]),
  'techniques/configuration': only((app) => get(app, '/t/config')),
  'techniques/cookies': only(
    (app) => get(app, '/t/cookies', { cookie: 'a=1' }, 'set-cookie'),
    (app) => app.register(cookie as never),
  ),
  'techniques/events': only((app) => get(app, '/t/events')),
  'techniques/file-upload': only(
    async (app) => {
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      const { statusCode, body } = await app.inject({ method: 'POST', url: '/t/file', headers, payload: MULTIPART });
      return [statusCode, body];
    },
    (app) => app.register(multipart as never),
  ),
  'techniques/http-module': only((app) => get(app, '/t/http')),
  'techniques/mvc': only(
    (app) => get(app, '/t/page', {}, 'content-type'),
    (app) => {
      app.useStaticAssets({ root: folder, prefix: '/public/' });
      app.setViewEngine({ engine: { handlebars }, templates: folder });
    },
  ),
  'techniques/performance': only((app) => get(app, '/t/route', {}, 'x-team')),
  'techniques/serialization': only((app) => get(app, '/t/user')),
  'techniques/server-sent-events': only((app) => get(app, '/t/sse', {}, 'content-type')),
  'techniques/sessions': only(
    async (app) => {
      const first = await app.inject('/t/session');
      const cookie = String(first.headers['set-cookie']).split(';')[0];
      return [first.body, await get(app, '/t/session', { cookie })];
    },
    async (app) => {
      await app.register(cookie as never);
      await app.register(session as never, { secret: 'a secret of thirty-two characters', cookie: { secure: false } });
    },
  ),
  'techniques/streaming-files': only((app) => get(app, '/t/stream', {}, 'content-type', 'content-disposition')),
  'techniques/task-scheduling': only(async (app) => [
    ...app.get(SchedulerRegistry, { strict: false }).getCronJobs().keys(),
  ]),
};

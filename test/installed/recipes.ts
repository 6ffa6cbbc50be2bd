import { Controller, Get, Injectable, Param, Req, UseGuards } from '@nestjs/common';
import { NestFactory, repl, RouterModule } from '@nestjs/core';
import { QueryBus } from '@nestjs/cqrs';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { ServeStaticModule } from '@nestjs/serve-static';
import { HealthCheck, HealthCheckService, TerminusModule } from '@nestjs/terminus';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { TestBed } from '@suites/unit';
import { CommandFactory } from 'nest-commander';
import { ClsModule, ClsService } from 'nestjs-cls';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bearer from 'passport-http-bearer';
import { AppModule, ExternalShippingGateway, GetShippingDetailsQuery, jobContext } from 'shipping-query-service';
import { Column, Entity, PrimaryGeneratedColumn, type Repository } from 'typeorm';
import { CountShippingsHandler } from '../src/count-shippings.handler.js';
import { get, type Recipe } from './applications.js';

const folder = mkdtempSync(join(tmpdir(), 'recipes-'));
writeFileSync(join(folder, 'index.html'), 'a page of a team');

@Controller('cls')
class ClsController {
  constructor(private readonly cls: ClsService) {}

  @Get()
  async id() {
    await Promise.resolve();
    return { url: this.cls.get('url') };
  }
}

@Injectable()
class BearerStrategy extends PassportStrategy(bearer.Strategy, 'bearer') {
  validate(token: string) {
    return token === 'secret' ? { name: 'somebody' } : null;
  }
}

@Controller('passport')
class PassportController {
  @Get()
  @UseGuards(AuthGuard('bearer'))
  me(@Req() request: { user: unknown }) {
    return request.user;
  }
}

@Controller('cats')
class CatsController {
  @Get(':id')
  cat(@Param('id') id: string) {
    return { id };
  }
}
class CatsModule {}
Reflect.defineMetadata('controllers', [CatsController], CatsModule);

@Entity()
class Photo {
  @PrimaryGeneratedColumn()
  id: number;

  @Column('text')
  name: string;
}

@Controller('photos')
class PhotosController {
  constructor(@InjectRepository(Photo) private readonly photos: Repository<Photo>) {}

  @Get()
  async all() {
    await this.photos.save({ name: 'a' });
    return this.photos.find();
  }
}

@Controller('team-health')
class HealthController {
  constructor(private readonly health: HealthCheckService) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => ({ carrier: { status: 'up' as const } })]);
  }
}

/** What works without an HTTP server: a query of the service, in a context that a function of Nest creates. */
async function queryIn(create: () => Promise<{ get: typeof NestFactory.prototype.get; close(): Promise<void> }>) {
  const context = await create();
  const { completeness } = await context.get(QueryBus).execute(new GetShippingDetailsQuery({ Limit: 1 }, jobContext()));
  await context.close();
  return completeness;
}

export const recipes: Record<string, Recipe> = {
  'recipes/async-local-storage': {
    imports: [
      ClsModule.forRoot({ global: true, middleware: { mount: true, setup: (cls, { url }) => cls.set('url', url) } }),
    ],
    controllers: [ClsController],
    probe: (app) => get(app, '/cls'),
  },
  'recipes/nest-commander': {
    probe: () => queryIn(() => CommandFactory.createWithoutRunning(AppModule, { logger: false })),
  },
  'recipes/passport': {
    imports: [PassportModule],
    controllers: [PassportController],
    providers: [BearerStrategy],
    probe: async (app) => [
      (await get(app, '/passport'))[0],
      await get(app, '/passport', { authorization: 'Bearer secret' }),
    ],
  },
  'recipes/repl': {
    probe: async () => {
      const server = await repl(AppModule);
      const found = typeof server.context.get === 'function';
      server.close();
      return found;
    },
  },
  'recipes/router-module': {
    imports: [CatsModule, RouterModule.register([{ path: 'zoo', module: CatsModule }])],
    probe: (app) => get(app, '/zoo/cats/1'),
  },
  'recipes/serve-static': {
    imports: [ServeStaticModule.forRoot({ rootPath: folder, serveRoot: '/pages' })],
    probe: (app) => get(app, '/pages/index.html', {}, 'content-type'),
  },
  'recipes/sql-typeorm': {
    imports: [
      TypeOrmModule.forRoot({ type: 'sqljs', entities: [Photo], synchronize: true }),
      TypeOrmModule.forFeature([Photo]),
    ],
    controllers: [PhotosController],
    probe: (app) => get(app, '/photos'),
  },
  'recipes/suites': {
    probe: async () => {
      const { unit, unitRef } = await TestBed.solitary(CountShippingsHandler).compile();
      unitRef.get(ExternalShippingGateway).page.mockResolvedValue({ body: { totalCount: 3 } } as never);
      return unit.execute({ params: {}, context: jobContext() });
    },
  },
  'recipes/terminus': {
    imports: [TerminusModule.forRoot({ logger: false })],
    controllers: [HealthController],
    probe: (app) => get(app, '/team-health'),
  },
};

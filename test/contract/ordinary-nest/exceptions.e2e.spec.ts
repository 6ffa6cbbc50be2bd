import {
  BadGatewayException,
  BadRequestException,
  ConflictException,
  Controller,
  Get,
  HttpException,
  HttpStatus,
  Module,
  NotFoundException,
  Param,
  Post,
  ServiceUnavailableException,
  UnprocessableEntityException,
  UseGuards,
} from '@nestjs/common';
import { ApiResponse } from '@nestjs/swagger';
import { ProblemException } from '../../../src/http/problems/problem-definitions';
import { createTestingApp } from '../../../testing/testing-app';
import { useStarted } from '../../support/started';

const MEMBERS = { orders: ['ORD-1'], reason: 'in-use' };
const HEALTH = { error: { db: { status: 'down' } }, details: {}, errors: [{ id: 7 }] };
const TYPE = 'https://team.example/paused';
/** By code: whole seconds, at least one (D21). */
const RETRY_AFTER: Readonly<Record<string, string>> = { paused: '2', typed: '1' };
const MESSAGES = ['carrier must be known', 'lines.0.sku should not be empty', 'Try again'];
/** Exceptions as the documentation of Nest throws them, by the name in the path. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  conflict: () => new ConflictException('Line 1\r\nLine 2 "quoted"'),
  object: () => new HttpException({ message: 'Own body', ...MEMBERS, status: 7, type: 'x' }, HttpStatus.CONFLICT),
  health: () => new ServiceUnavailableException({ status: 'error', ...HEALTH }),
  paused: () => new ProblemException({ status: 503, code: 'paused', detail: 'Until noon', retryAfterMs: 1001 }),
  typed: () => new ProblemException({ status: 503, code: 'typed', detail: '', retryAfterMs: 0, type: TYPE }),
  maintenance: () => new ServiceUnavailableException('Closed until noon'),
  array: () => new UnprocessableEntityException(MESSAGES),
  many: () => new BadRequestException(Array.from({ length: 30 }, (_, index) => `p${index} must be short`)),
  unknown: () => new HttpException('', 499),
  unreadable: () => new HttpException({ message: { hidden: true } }, HttpStatus.BAD_REQUEST),
  server: () => new BadGatewayException('The carrier is closed'),
  unexpected: () => new Error('hidden'),
  caused: () =>
    Object.assign(new TypeError('no tariff', { cause: new RangeError('empty') }), { config: 'header that was sent' }),
};

const NO_TARIFF = { status: 422, code: 'no-tariff', detail: 'No tariff for <this> weight & carrier.' };

@Controller('team')
class TeamController {
  @Get('thrown/:name')
  @ApiResponse({
    status: 422,
    content: { 'application/problem+json': { examples: { 'no-tariff': { value: NO_TARIFF } } } },
  })
  thrown(@Param('name') name: string): never {
    const exception: unknown = THROWN[name]?.() ?? new NotFoundException(`There is no ${name}`);
    throw exception;
  }

  @Get('guarded')
  @UseGuards({ canActivate: () => false })
  guarded(): object {
    return {};
  }

  @Post('orders')
  create(): object {
    return { created: true };
  }
}

@Module({ controllers: [TeamController] })
class TeamModule {}

describe('exceptions of a team', () => {
  const lines: string[] = [];
  const log = (line: string): void => void lines.push(line);
  const app = useStarted(async () => (await createTestingApp({ imports: [TeamModule], log })).init());

  async function problemAt(url: string): Promise<Record<string, unknown>> {
    const { headers, body, statusCode } = await app().inject({ url });
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(body).not.toContain('hidden');
    const problem = JSON.parse(body) as Record<string, unknown>;
    expect([problem.status, headers['retry-after']]).toEqual([statusCode, RETRY_AFTER[String(problem.code)]]);
    return problem;
  }

  it.each([
    ['conflict', 409, 'bad-request', 'Line 1\r\nLine 2 "quoted"'],
    ['paused', 503, 'paused', 'Until noon'],
    ['maintenance', 503, 'service-unavailable', 'Closed until noon'],
    ['server', 502, 'internal-error', 'The carrier is closed'],
    ['parcel', 404, 'not-found', 'There is no parcel'],
  ])('D15 D21 its message is the detail: %s', async (name, status, code, detail) => {
    const problem = await problemAt(`/team/thrown/${name}`);
    expect(problem).toMatchObject({ status, code, detail });
    // Nest's `error` is the phrase of the status, which the problem has as its title.
    for (const name of ['errors', 'error']) expect(problem).not.toHaveProperty(name);
  });

  it.each([
    ['guarded', 403, 'Forbidden resource'],
    ['thrown/unreadable', 400, 'The request is malformed.'],
    ['thrown/unknown', 499, 'The request is malformed.'],
  ])('D15 its message is that of Nest: %s', async (path, status, detail) => {
    expect(await problemAt(`/team/${path}`)).toMatchObject({ status, detail });
  });

  it('D15 messages in an array name their parameters', async () => {
    expect(await problemAt('/team/thrown/array')).toMatchObject({
      status: 422,
      code: 'bad-request',
      detail: MESSAGES.join('; '),
      errors: [
        { parameter: 'carrier', message: 'must be known' },
        { parameter: 'lines.0.sku', message: 'should not be empty' },
        { parameter: '', message: 'Try again' },
      ],
    });
  });

  it('D15 its members are members of the problem', async () => {
    const own = { ...MEMBERS, status: 409, type: '/problems#bad-request' };
    expect(await problemAt('/team/thrown/object')).toMatchObject(own);
    const health = { ...HEALTH, status: 503, code: 'service-unavailable' };
    expect(await problemAt('/team/thrown/health')).toMatchObject(health);
  });

  it('D15 lists 20 errors at most', async () => {
    expect((await problemAt('/team/thrown/many')).errors).toHaveLength(20);
  });

  it.each([
    ['/team/thrown/unexpected', 500, 'internal-error'],
    ['/team/nowhere?carrier=hidden', 404, 'route-not-found'],
  ])('D15 opaque: %s', async (url, status, code) => {
    const { status: sent, code: given, detail } = await problemAt(url);
    expect([sent, given]).toEqual([status, code]);
    expect(detail).not.toContain('nowhere');
  });

  it('D15 an own `type` is sent, and has an anchor', async () => {
    expect(await problemAt('/team/thrown/typed')).toMatchObject({ type: TYPE, code: 'typed' });
    const page = (await app().inject({ url: '/problems' })).body;
    expect(page).toContain('id="no-tariff"');
    expect(page).toContain('No tariff for &lt;this> weight &amp; carrier.');
    expect(page.split('id="shipping-not-found"')).toHaveLength(2);
  });

  it('D83 a failed health check is no unexpected error', async () => {
    lines.length = 0;
    await problemAt('/team/thrown/health');
    expect(lines.join('')).not.toContain('Unexpected');
  });

  it.each([
    ['server', { type: 'BadGatewayException', message: 'The carrier is closed' }],
    ['unexpected', { type: 'Error', message: 'hidden' }],
    [
      'caused',
      { type: 'TypeError', message: 'no tariff', stack: expect.stringMatching(/caused by: RangeError: empty/) },
    ],
  ])('D81 a 5xx is logged whole, but for its other members: %s', async (name, err) => {
    lines.length = 0;
    await problemAt(`/team/thrown/${name}`);
    const [line, ...more] = lines.filter((each) => each.includes('Unexpected error'));
    const ids = {
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
    };
    expect(more).toEqual([]);
    expect(JSON.parse(String(line))).toMatchObject({ level: 50, context: 'ProblemFilter', err, ...ids });
    expect(line).not.toContain('header that was sent');
  });

  it.each([
    ['json', 400, 'bad-request', 'The request is malformed.'],
    ['xml', 415, 'unsupported-media-type', 'The media type of the body is not supported.'],
  ])('D15 errors of Fastify are opaque: application/%s', async (type, status, code, detail) => {
    const headers = { 'content-type': `application/${type}` };
    const request = { method: 'POST', url: '/team/orders', headers, payload: '{hidden' } as const;
    const { statusCode, body } = await app().inject(request);
    expect([statusCode, JSON.parse(body)]).toEqual([status, expect.objectContaining({ code, detail })]);
  });
});

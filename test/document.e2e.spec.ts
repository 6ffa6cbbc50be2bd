import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { EXTERNAL_FAULTS, HARMLESS } from './faults/support/external-faults';
import { useScriptedService } from './support/service';
import { json } from './support/upstream/responses';
import type { Behaviour } from './support/upstream/exchange';
import { anyReply, wireItem, wireRecord, type WireObject } from './support/upstream/records';
import { anyText } from './support/any-text';

/** One value of a request: where it goes, under which name. */
interface GivenParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly value: string;
  /** Sent as it stands, not encoded. */
  readonly raw?: boolean;
}

interface ParameterSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
}
interface DocumentedParameter {
  readonly name: string;
  readonly in: GivenParameter['in'];
  readonly required?: boolean;
  readonly schema: ParameterSchema;
}
interface Document {
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly parameters: readonly DocumentedParameter[]; readonly responses: object } }
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, ParameterSchema>> };
}

const DOCUMENT = JSON.parse(readFileSync(join(__dirname, '../openapi.json'), 'utf8')) as Document;

/** The documented paths of the operations. */
const OPERATION_PATHS = Object.keys(DOCUMENT.paths).filter((path) => path.startsWith('/api/'));

/** A longer text tells nothing new, but does not fit into a request once it is encoded. */
const LONGEST = 300;

/** Parameters of a path whose values are what the document allows, in schemas and in words; optional ones come and go. */
function validParameters(path: string): fc.Arbitrary<GivenParameter[]> {
  const { parameters = [], responses = {} } = DOCUMENT.paths[path]?.get ?? {};
  const each = parameters.map((parameter) => {
    const given = givenOf(parameter).map((one) => [one]);
    return parameter.required === true ? given : fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, given);
  });
  // A single lookup by criteria needs one of these.
  const identifying = '404' in responses ? parameters.filter(({ name }) => IDENTIFYING.includes(name)) : [];
  const added = identifying.length === 0 ? fc.constant(undefined) : fc.oneof(...identifying.map(givenOf));
  return fc.tuple(fc.tuple(...each), added).map(([given, identifier]) => inOrder(identified(given.flat(), identifier)));
}

const IDENTIFYING = ['Id', 'OrderId', 'TrackingNumber'];

function givenOf({ name, in: place, schema }: DocumentedParameter): fc.Arbitrary<GivenParameter> {
  return valueOf(schema).map((value) => ({ name, in: place, value }));
}

/** With a criterion that identifies, where one has to. */
function identified(given: GivenParameter[], identifier: GivenParameter | undefined): GivenParameter[] {
  const isNamed = ({ name, value }: GivenParameter): boolean => IDENTIFYING.includes(name) && /[^ \t]/.test(value);
  if (identifier === undefined || given.some(isNamed)) return given;
  const named = isNamed(identifier) ? identifier : { ...identifier, value: 'A' };
  return [...given.filter(({ name }) => name !== named.name), named];
}

/** With the earlier date first. */
function inOrder(given: GivenParameter[]): GivenParameter[] {
  const from = given.find(({ name }) => name === 'FromDate');
  const to = given.find(({ name }) => name === 'ToDate');
  if (
    from === undefined ||
    to === undefined ||
    instantOf(from.value, '00:00Z') <= instantOf(to.value, '23:59:59.999Z')
  ) {
    return given;
  }
  const swapped = [
    { ...from, value: to.value },
    { ...to, value: from.value },
  ];
  return [...given.filter((one) => one !== from && one !== to), ...swapped];
}

/** The instant that a date of a request means; one without a time means the given time of its day. */
function instantOf(text: string, time: string): number {
  const full = text.length === 10 ? `${text}T${time}` : text;
  const instant = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(full) ? full : `${full}Z`);
  if (Number.isNaN(instant)) throw new Error(`${text} is documented as a date`);
  return instant;
}

/** Parameters that start from valid ones and go astray: other values, other names, some of them twice. */
function hostileParameters(path: string): fc.Arbitrary<GivenParameter[]> {
  return validParameters(path).chain((valid) => fc.tuple(...valid.map(astray)).map((given) => given.flat()));
}

function astray(parameter: GivenParameter): fc.Arbitrary<GivenParameter[]> {
  const kept = fc.constant<GivenParameter[]>([parameter]);
  const value = parameter.in === 'header' ? HEADER_VALUE : HOSTILE_TEXT;
  const characters = [...parameter.value];
  const near = fc
    .tuple(value, fc.nat(characters.length))
    .map(([text, at]): GivenParameter[] => [{ ...parameter, value: characters.toSpliced(at, 0, text).join('') }]);
  const other = value.map((text): GivenParameter[] => [{ ...parameter, value: text }]);
  if (parameter.in === 'header') return fc.oneof(kept, near, other);
  const raw = RAW_TEXT.map((text): GivenParameter[] => [{ ...parameter, value: text, raw: true }]);
  if (parameter.in === 'path') return fc.oneof(kept, near, other, raw);
  const twice = fc.constant<GivenParameter[]>([parameter, { ...parameter, name: parameter.name.toLowerCase() }]);
  const renamed = HOSTILE_TEXT.map((name): GivenParameter[] => [{ ...parameter, name }]);
  return fc.oneof(kept, near, other, raw, twice, renamed);
}

const HOSTILE_TEXT = fc.oneof(
  anyText({ maxLength: 80 }),
  fc.constantFrom('', ' ', '\t', '0', '-1', '1e9', '0x10', '2147483648', '9'.repeat(400), '..', '.', '/', '\u0000'),
  fc.constantFrom(
    '2026-02-30',
    '2026-13-01T25:00',
    '0000-01-01',
    '2026-01-01T00:00:00 02:00',
    '__proto__',
    'a'.repeat(250),
  ),
);

/** What no proper client writes into a request target. */
const RAW_TEXT = fc.constantFrom(
  '%',
  '%zz',
  '%ff',
  '%C3%28',
  '%00',
  '%0a',
  '%2e%2e',
  '%2F',
  '+',
  ';',
  '"<>',
  '[]',
  '{}',
  '|',
  '\\',
  '#x',
  '?',
  '&&',
  '\xe9',
  '\xff\xfe',
);

const HEADER_VALUE = fc.oneof(
  fc.string({
    unit: fc
      .integer({ min: 0x20, max: 0xff })
      .filter((code) => code !== 0x7f)
      .map((code) => String.fromCharCode(code)),
    maxLength: 80,
  }),
  fc.constantFrom(
    '*',
    'W/"',
    '"',
    'handling="strict"',
    'handling=strict, handling=lenient',
    ';',
    '=',
    'a'.repeat(2000),
  ),
);

function valueOf(schema: ParameterSchema): fc.Arbitrary<string> {
  if (schema.$ref !== undefined) return valueOf(DOCUMENT.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const { type, minimum, maximum } = schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (type === 'integer') {
    const bounds = { min: minimum, max: maximum };
    return fc.oneof(fc.integer(bounds), fc.integer({ ...bounds, max: Math.min(maximum ?? Infinity, 50) })).map(String);
  }
  return schema.pattern?.startsWith('^\\d{4}-') === true ? DATE_TEXT : textOf(schema);
}

/** A date and time of RFC 3339, and the other forms that the description names; within the years in every zone. */
const DATE_TEXT = fc
  .tuple(
    fc.date({ min: new Date('0001-01-02T00:00:00Z'), max: new Date('9999-12-30T23:59:59.999Z'), noInvalidDate: true }),
    fc.constantFrom('YYYY-MM-DDThh:mm:ss.sss', 'YYYY-MM-DDThh:mm:ss', 'YYYY-MM-DDThh:mm', 'YYYY-MM-DD'),
    fc.constantFrom('Z', '', '+02:00', '-11:30'),
  )
  .map(([date, form, zone]) => date.toISOString().slice(0, form.length) + (form.includes('T') ? zone : ''));

function textOf({ pattern = '', minLength = 0, maxLength = LONGEST }: ParameterSchema): fc.Arbitrary<string> {
  const longest = Math.min(maxLength, LONGEST);
  const expression = new RegExp(pattern, 'u');
  const matching = filtered(fc.stringMatching(expression, { maxLength: longest }), (text) => {
    const { length } = [...text];
    return length >= minLength && length <= longest && !LONE_SURROGATE.test(text);
  });
  if (!ANYTHING_BUT_FEW.test(pattern)) return matching;
  const any = anyText({ maxLength: longest });
  return fc.oneof(
    matching,
    any.map((text) => [...text].filter((character) => expression.test(character)).join('')),
  );
}

const MOST_REJECTED = 10_000;

/** Values for which a condition holds; throws where there are hardly any, because fast-check would search for ever. */
function filtered<T>(values: fc.Arbitrary<T>, holds: (value: T) => boolean): fc.Arbitrary<T> {
  let rejected = 0;
  return values.filter((value) => {
    rejected = holds(value) ? 0 : rejected + 1;
    if (rejected > MOST_REJECTED) throw new Error('Hardly any random value is allowed');
    return rejected === 0;
  });
}

/** Patterns that only leave characters out: texts for them are made by leaving those out. */
const ANYTHING_BUT_FEW = /^\^\[\^[^\]]*\]\*\$$/;

/** Nothing that could be sent as UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** The request target and headers that carry these values. */
function requestOf(
  path: string,
  parameters: readonly GivenParameter[],
): { target: string; headers: Record<string, string> } {
  const placed = (place: GivenParameter['in']): readonly GivenParameter[] =>
    parameters.filter((parameter) => parameter.in === place);
  const written = ({ value, raw = false }: GivenParameter): string => (raw ? value : encodeURIComponent(value));
  const filled = placed('path').reduce((target, id) => target.replace(`{${id.name}}`, () => written(id)), path);
  const query = placed('query').map((parameter) => `${encodeURIComponent(parameter.name)}=${written(parameter)}`);
  return {
    target: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    headers: Object.fromEntries(placed('header').map(({ name, value }) => [name, value])),
  };
}

/** Requests to each operation, of each kind. */
const RUNS = 60;
/** Answers that cost little: of those that never end, and of those that are huge, other suites tell. */
const COSTLY = /200,000|bomb|oversized|huge|endless|without end|drips/;
const FAULTS = [...EXTERNAL_FAULTS, ...HARMLESS].filter(({ name }) => !COSTLY.test(name));

/** An object whose fields are sound, or anything that JSON can hold. */
function odd(object: WireObject): fc.Arbitrary<WireObject> {
  const fields = Object.entries(object).map(([name, value]) => [
    name,
    fc.oneof({ weight: 5, arbitrary: fc.constant(value) }, fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined)),
  ]);
  return fc.record(Object.fromEntries(fields) as Record<string, fc.Arbitrary<unknown>>);
}

const records = fc.array(fc.oneof({ weight: 5, arbitrary: odd(wireRecord()) }, fc.jsonValue({ maxDepth: 1 })), { maxLength: 4 }); // prettier-ignore
const oddReply = fc
  .record({
    record: odd(wireRecord()),
    ShippingItems: fc.array(odd(wireItem()), { maxLength: 3 }),
    Items: records,
    figures: odd({ TotalCount: 5, PageNumber: 2, PageSize: 2, TotalPages: 3, HasPreviousPage: true, HasNextPage: true }),
  })
  .map(({ record, ShippingItems, Items, figures }) => anyReply({ ...record, ShippingItems, Items, ShippingDetails: Items, ...figures })); // prettier-ignore

/** What the external system does: mostly it replies, soundly or oddly. */
const replies: fc.Arbitrary<() => Behaviour> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(() => json()) },
  { weight: 4, arbitrary: oddReply.map((reply) => () => json(reply)) },
  { weight: 2, arbitrary: fc.constantFrom(...FAULTS).map(({ name, behaviour }) => Object.assign(() => behaviour(), { toString: () => name })) }, // prettier-ignore
);

describe('openapi.json matches the service', () => {
  const scripted = useScriptedService({
    EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1',
    EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: '50',
    EXTERNAL_SHIPPING_TIMEOUT_MS: '200',
    EXTERNAL_SHIPPING_BREAKER_OPEN_MS: '1',
    LOG_LEVEL: 'silent',
  });

  /** The status of a response; the client itself refuses one that is not described. */
  const ask = async (path: string, parameters: readonly GivenParameter[], reply: () => Behaviour, method = 'GET') => {
    scripted.upstream.respondWith(reply());
    const { target, headers } = requestOf(path, parameters);
    return scripted.service.get(target, { method, headers });
  };

  it.each(OPERATION_PATHS)('%s: an allowed request is accepted, and its response is documented', async (path) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(
        validParameters(path),
        replies,
        fc.constantFrom('GET', 'GET', 'HEAD'),
        async (parameters, reply, method) => {
          const { status } = await ask(path, parameters, reply, method);
          statuses.add(status);
          expect(status).not.toBe(400);
        },
      ),
      { numRuns: RUNS },
    );
    // Otherwise the external system was never seen well, or never ill.
    expect(statuses).toContain(200);
    expect(statuses.size).toBeGreaterThan(1);
  });

  it.each(OPERATION_PATHS)('%s: the response to an invalid request is documented', async (path) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(hostileParameters(path), replies, async (parameters, reply) => {
        const { status, body } = await ask(path, parameters, reply);
        statuses.add(status);
        expect(body).not.toContain('internal-error');
      }),
      { numRuns: RUNS },
    );
    expect(statuses).toContain(400);
  });
});

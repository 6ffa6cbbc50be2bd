import { fieldsOf } from '../model-fields';
import { isSuccess, oversized } from '../../../src/resilience/http-failures';
import { UpstreamFailure } from '../../../src/resilience/upstream-failure';
import { StandardProtocol } from '../../../src/shipping/gateway/protocol/standard-protocol';
import { ShippingListItem, ShippingLookupItem } from '../../../src/shipping/model/response-bodies';
import { ShippingStatus } from '../../../src/shipping/model/shipping-status';
import { PAGE_SIZE } from '../../../src/shipping/model/parameter-bounds';
import { recordsOf, type CheckedSystem, type RecordedCall } from '../checked-system';
import type { RecordedRequest } from '../recorded-requests';
import { cannotTell, fail, needsRecord, pass, type Finding, type Rule } from '../rule';
import { OPERATIONS } from './bodies';
import { invalidFields } from './field-types';

const ENCODINGS = ['gzip', 'x-gzip', 'deflate', 'br', 'identity'];

/** What all responses so far have to satisfy: these rules come last. */
export const OBSERVATION_RULES: readonly Rule[] = [
  ...OPERATIONS.map(({ name, title }) => typesRule(name, title)),
  ...OPERATIONS.map(({ name, title }) => fieldsRule(name, title)),
  {
    id: 'known-statuses',
    title: 'Status texts are created, in_transit, delivered or cancelled',
    advice: 'Other texts become Unknown; a protocol can translate them.',
    isHint: true,
    check: checkStatuses,
  },
  {
    id: 'no-redirects',
    title: 'No response is a redirect',
    advice: 'Use the base URL and paths that redirects lead to: they are not followed.',
    check: noResponse(isRedirect, 'are redirects'),
  },
  {
    id: 'credentials',
    title: 'The credentials are accepted',
    advice: 'Check the credentials and their permissions.',
    check: noneOfSuccessful(isRefused, 'have status 401 or 403'),
  },
  {
    id: 'no-html',
    title: 'Successful responses are no HTML',
    advice: 'Respond with JSON; a page of a proxy or a login may be in front of the system.',
    check: noneOfSuccessful(isPage, 'are HTML with a successful status'),
  },
  {
    id: 'compression',
    title: 'Bodies are encoded as gzip, deflate or br, or not at all',
    advice: 'Use one of these content encodings: the service decodes no others.',
    check: noneOfSuccessful(hasOtherEncoding, 'have another content encoding'),
  },
  {
    id: 'response-time',
    title: 'Responses are complete within the time-out of an attempt',
    advice: 'Raise EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS and EXTERNAL_SHIPPING_TIMEOUT_MS, or make the system faster.',
    check: checkTime,
  },
  {
    id: 'body-size',
    title: 'The largest list and the largest page are below the size limit',
    advice: 'Raise EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES, or bound the list without Limit.',
    check: checkSize,
  },
];

function checkStatuses({ samples }: CheckedSystem): Promise<Finding> {
  const { records } = samples;
  const unknown = records.filter(({ status }) => status === ShippingStatus.Unknown).length;
  if (records.length === 0) return Promise.resolve(needsRecord(samples, 'Needs a record.'));
  const detail = `${unknown} of ${records.length} records have another text or none`;
  return Promise.resolve(unknown === 0 ? pass() : cannotTell('Other texts become Unknown; a protocol can translate them.', detail)); // prettier-ignore
}

function typesRule(operation: string, title: string): Rule {
  return {
    id: `${operation}-types`,
    title: `${title} has values of the right types, and records with an Id`,
    advice: 'Send texts, numbers, booleans and ISO 8601 dates; other values are dropped and the response is partial.',
    needs: [`${operation}-body`],
    check: (system) => {
      const calls = successful(system, operation);
      const partial = calls.filter(({ mapped }) => mapped?.completeness.level !== 'complete').length;
      const bodies = calls.flatMap(({ responses }) => responses.map(({ data }) => data));
      const fields = system.protocol instanceof StandardProtocol ? invalidFields(bodies) : [];
      const named = fields.length === 0 ? '' : `: ${fields.join(', ')}`;
      const isSound = partial === 0 && fields.length === 0;
      return Promise.resolve(isSound ? pass() : fail(`Invalid values in ${Math.max(1, partial)} of ${calls.length} responses${named}`)); // prettier-ignore
    },
  };
}

function fieldsRule(operation: string, title: string): Rule {
  const model = operation === 'details' ? ShippingLookupItem : ShippingListItem;
  const fields = fieldsOf(model).flatMap(([name, { nullable }]) => (nullable === true ? [name] : []));
  return {
    id: `${operation}-fields`,
    title: `${title} has all fields`,
    advice: 'Send the fields, spelled as in the specification; otherwise clients get null.',
    needs: [`${operation}-types`],
    check: (system) => {
      const records = successful(system, operation).flatMap(recordsOf);
      const missing = fields.filter((field) =>
        records.every((record) => record[field as keyof typeof record] === null),
      );
      if (records.length === 0) return Promise.resolve(cannotTell('Needs a record.'));
      if (missing.length === 0) return Promise.resolve(pass());
      const detail = `Missing from every record: ${missing.join(', ')}`;
      const isStandard = system.protocol instanceof StandardProtocol;
      return Promise.resolve(isStandard ? fail(detail) : cannotTell('A protocol may leave fields out.', detail));
    },
  };
}

function successful({ calls }: CheckedSystem, operation: string): readonly RecordedCall[] {
  return calls.filter((call) => call.operation === operation && call.mapped !== undefined);
}

function noResponse(isFault: (request: RecordedRequest) => boolean, complaint: string): Rule['check'] {
  return ({ requests }) => {
    const count = requests.filter(isFault).length;
    return Promise.resolve(count === 0 ? pass() : fail(`${count} of ${requests.length} responses ${complaint}`));
  };
}

/** Without a successful response, nothing shows that the requests reached the system. */
function noneOfSuccessful(isFault: (request: RecordedRequest) => boolean, complaint: string): Rule['check'] {
  const check = noResponse(isFault, complaint);
  return async (system) => {
    const finding = await check(system);
    const isProven = finding.result === 'fail' || system.requests.some(({ status = 0 }) => isSuccess(status));
    return isProven ? finding : cannotTell('Needs a successful response.');
  };
}

function isRedirect({ status = 0 }: RecordedRequest): boolean {
  return status >= 300 && status < 400;
}

function isRefused({ status }: RecordedRequest): boolean {
  return status === 401 || status === 403;
}

function isPage({ status = 0, headers }: RecordedRequest): boolean {
  return isSuccess(status) && String(headers['content-type']).toLowerCase().includes('html');
}

function hasOtherEncoding({ headers }: RecordedRequest): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && !ENCODINGS.includes(encoding.trim().toLowerCase());
}

function checkTime({ calls, requests, settings }: CheckedSystem): Promise<Finding> {
  const { attemptTimeoutMs } = settings.external;
  const late = calls.filter(
    ({ failure }) => failure instanceof UpstreamFailure && failure.reason === 'upstream-timeout',
  );
  const slowest = Math.ceil(Math.max(0, ...requests.map(({ durationMs }) => durationMs)));
  const detail = `Slowest response: ${slowest} ms of ${attemptTimeoutMs} ms`;
  if (late.length > 0) return Promise.resolve(fail(`${late.length} of ${calls.length} calls timed out`));
  const isClose = slowest > attemptTimeoutMs / 2;
  return Promise.resolve(isClose ? cannotTell('Raise EXTERNAL_SHIPPING_ATTEMPT_TIMEOUT_MS: too little is left under load.', detail) : pass(detail)); // prettier-ignore
}

function isOversized(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.message === oversized().message;
}

async function checkSize(system: CheckedSystem): Promise<Finding> {
  const { maxResponseBytes } = system.settings.external;
  for (const list of [() => system.list({}), () => system.page({ PageSize: PAGE_SIZE.max })]) {
    const tooLarge = await list().then(
      () => false,
      (error: unknown) => isOversized(error),
    );
    if (tooLarge) return fail(`A body is larger than ${maxResponseBytes} bytes`);
  }
  if (!system.calls.some(({ mapped }) => mapped !== undefined)) return cannotTell('Needs a successful response.');
  const decoded = system.calls.flatMap(({ responses }) => responses.map(({ data }) => JSON.stringify([data])));
  const bytes = Math.max(0, ...decoded.map((text) => Buffer.byteLength(text)));
  const detail = `Largest body: ${bytes} bytes of ${maxResponseBytes}`;
  return bytes > maxResponseBytes / 2
    ? cannotTell('Raise EXTERNAL_SHIPPING_MAX_RESPONSE_BYTES: longer records may exceed it.', detail)
    : pass(detail);
}

import { CannotCheckError, checkExternalSystem, type RuleReport } from '../../tools/check-external/check';
import { TABLE } from '../../tools/check-external/table';
import { type HttpResponse, PATIENT, RunningService } from '../support/service';
import { useBrokenSystem } from './broken-system';
import { SCENARIOS } from './noticed';
import { noticedRows } from './noticed-rows';

const REQUESTS = [
  'GetShippingPagedList?PageSize=50',
  'GetShippingDetails?Limit=200',
  'GetShippingSingle?Id=SHP-000001',
  'GetShippingInfoById/SHP-000001',
];

/** What clients see of a failure, or of an incomplete response. */
const noticeOf = ({ headers, status, json }: HttpResponse): string =>
  String(headers['shipping-completeness'] ?? (status === 200 ? '' : Object(json()).reason));

/** The faults of `noticed.md`: each is what a proxy in front of the sandbox does. */
describe('what the service, only the check, or nobody can notice', () => {
  const broken = useBrokenSystem();
  let valid: readonly RuleReport[] = [];
  beforeAll(async () => {
    const env = { ...PATIENT, EXTERNAL_SHIPPING_BASE_URL: broken().upstream.url };
    valid = (await checkExternalSystem({ env })).rules;
  });

  const rows = noticedRows();
  it('has a row for each scenario, and a scenario for each row', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(SCENARIOS).sort());
    expect(rows.length).toBeGreaterThanOrEqual(40);
  });

  /** The rules that fail, and those with remarks that a valid system does not get. */
  async function checked(variables: NodeJS.ProcessEnv): Promise<{ failed: string[]; named: string[] }> {
    try {
      const { rules } = await checkExternalSystem({ env: variables });
      const isNew = ({ rule, detail }: RuleReport): boolean =>
        !valid.some((own) => own.rule === rule && own.detail === detail);
      const namesOf = (reports: readonly RuleReport[]): string[] => reports.map(({ rule }) => rule);
      const failed = rules.filter(({ result }) => result === 'fail');
      return {
        failed: namesOf(failed),
        named: namesOf(rules.filter((each) => each.result !== 'cannot tell' && isNew(each))),
      };
    } catch (error) {
      if (!(error instanceof CannotCheckError)) throw error;
      return { failed: [error.message], named: [error.message] };
    }
  }

  async function responsesOf(
    requests: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<string[]> {
    const service = await RunningService.start({ ...variables, EXTERNAL_SHIPPING_MAX_ATTEMPTS: '1' });
    const seen: string[] = [];
    for (const operation of requests) seen.push(noticeOf(await service.request(operation)));
    await service.close();
    return seen;
  }

  it.each(rows)('$by: a system that $name', async ({ name, by, codes }) => {
    const { env, requests = REQUESTS, ...fault } = SCENARIOS[name] ?? {};
    broken().fault = fault;
    const variables = { ...PATIENT, ...env, EXTERNAL_SHIPPING_BASE_URL: broken().upstream.url };
    const seen = await responsesOf(requests, variables);
    const { failed, named } = await checked(variables);
    // The check notices what the service notices, too.
    if (by === 'nobody') expect(failed).toEqual([]);
    else expect([...failed, ...named]).not.toEqual([]);
    const isComplete = (notice: string): boolean => notice.startsWith('complete');
    if (by !== 'service') expect(seen.filter((notice) => !isComplete(notice))).toEqual([]);
    const isRule = (code: string): boolean => TABLE.some(([rule]) => rule === code);
    expect([...failed, ...named]).toEqual(expect.arrayContaining(codes.filter(isRule)));
    for (const code of codes.filter((each) => !isRule(each))) expect(seen.join(' ')).toContain(code);
    expect(codes.length > 0 || by === 'nobody').toBe(true);
  });
});

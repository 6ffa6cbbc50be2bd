import { CallLimitError, type CheckedSystem } from '../checked-system';
import { cannotTell, fail, pass, type Finding, type Rule } from '../rule';

const PARALLEL = 20;
const SEQUENTIAL = 3;
const FAILED = 'failed';

/** Connections, and several requests at the same time. */
export const LOAD_RULES: readonly Rule[] = [
  {
    id: 'keep-alive',
    title: 'Connections are kept open and used again',
    advice:
      'Keep connections open for five seconds or longer: a new one for each request takes time, with TLS more so.',
    needs: ['paged-body'],
    check: checkKeepAlive,
  },
  {
    id: 'parallel',
    title: `${PARALLEL} calls at the same time get the same results as alone`,
    advice: 'Serve requests at the same time, or lower EXTERNAL_SHIPPING_MAX_CONCURRENT.',
    needs: ['paged-body', 'details-body'],
    check: checkParallel,
  },
];

async function checkKeepAlive(system: CheckedSystem): Promise<Finding> {
  const before = system.requests.length;
  for (let sent = 0; sent < SEQUENTIAL; sent += 1) {
    await system.page({ PageSize: 1 }, true);
  }
  const later = system.requests.slice(before + 1);
  return later.some(({ isReused }) => isReused) ? pass() : fail('Every request opened a connection');
}

async function checkParallel(system: CheckedSystem): Promise<Finding> {
  const { id } = system.samples;
  const requests: readonly (() => Promise<unknown>)[] = [
    () => system.page({ PageSize: 10 }, true),
    () => system.list({ Limit: 10 }, true),
    ...(id === undefined ? [] : [() => system.byId(id, true), () => system.single({ Id: id }, true)]),
  ];
  const before: string[] = [];
  for (const request of requests) before.push(await resultOf(request()));
  const repeated = Array.from({ length: PARALLEL }, (_, index) => requests[index % requests.length]);
  const together = await Promise.all(
    repeated.flatMap((request) => (request === undefined ? [] : [resultOf(request())])),
  );
  const failed = together.filter((result) => result === FAILED).length;
  if (before.includes(FAILED)) return cannotTell('Needs requests that succeed alone.');
  if (failed > 0) return fail(`${failed} of ${PARALLEL} calls failed`);
  const differing = together.filter((result, index) => result !== before[index % before.length]).length;
  if (differing === 0) return pass();
  const after: string[] = [];
  for (const request of requests) after.push(await resultOf(request()));
  return after.join() === before.join()
    ? fail(`${differing} of ${PARALLEL} calls got another result`)
    : cannotTell('Records changed during the check: repeat it.');
}

function resultOf(result: Promise<unknown>): Promise<string> {
  return result.then(
    (body) => JSON.stringify([body]),
    (error: unknown) => {
      if (error instanceof CallLimitError) throw error;
      return FAILED;
    },
  );
}

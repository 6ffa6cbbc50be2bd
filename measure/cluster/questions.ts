import { expectedDetail, expectedLookupItems, expectedPage } from '../bench/reference';
import type { Question } from '../proof/load';

const OPERATIONS = '/api/Shipping';
const COUNT = 40;

interface SandboxRecord {
  readonly Id: string;
  readonly TrackingNumber: string;
  readonly ModifiedDate: string | null;
}

/**
 * Questions of all four operations, each with the only right response: made from what the sandbox replies, by the mapping
 * that is written down for the benchmarks and by none of the service's own code.
 */
export async function prepareQuestions(sandbox: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (let number = 1; number <= COUNT; number += 1) {
    const digits = String(number).padStart(6, '0');
    const page = await reply(sandbox, `paged?PageNumber=${number}&PageSize=10&SortBy=CreatedDate&SortDirection=desc`);
    questions.push(question('list', `GetShippingPagedList?PageNumber=${number}`, expectedPage(page)));
    const details = await reply(sandbox, `details?OrderId=ORD-${digits}`);
    questions.push(question('list', `GetShippingDetails?OrderId=ORD-${digits}`, expectedLookupItems(details)));
    const record = await reply(sandbox, `by-id/SHP-${digits}`);
    questions.push(question('lookup', `GetShippingInfoById/SHP-${digits}`, detail(record)));
    const { TrackingNumber } = JSON.parse(record) as SandboxRecord;
    questions.push(question('lookup', `GetShippingSingle?TrackingNumber=${TrackingNumber}`, detail(record)));
  }
  return questions;
}

function question(kind: Question['kind'], path: string, expected: string): Question {
  return { kind, path: `${OPERATIONS}/${path}`, isRight: (body) => body === expected };
}

/** The sandbox writes modification dates with milliseconds, the external system of the benchmarks without, and always. */
function detail(text: string): string {
  const { ModifiedDate } = JSON.parse(text) as SandboxRecord;
  const modifiedDate = ModifiedDate === null ? null : `${ModifiedDate}Z`;
  return JSON.stringify({ ...(JSON.parse(expectedDetail(text)) as object), modifiedDate });
}

async function reply(sandbox: string, path: string): Promise<string> {
  const response = await fetch(`${sandbox}/shippings/${path}`);
  if (response.status !== 200) throw new Error(`The sandbox responded with ${response.status} to ${path}`);
  return response.text();
}

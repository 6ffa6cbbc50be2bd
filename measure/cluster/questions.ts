import {
  type ExternalDetail,
  type ExternalPage,
  type ExternalRecord,
  toDetail,
  toListItem,
  toPage,
} from '../bench/servers/mapping';
import type { Question } from '../proof/load';
import { OPERATIONS } from './stage';

const COUNT = 40;

/**
 * Questions of all four operations, each with the only right response: made from what the sandbox replies, by the mapping of
 * the benchmark and by none of the service's own code.
 */
export async function prepareQuestions(sandbox: string): Promise<Question[]> {
  const questions: Question[] = [];
  for (let number = 1; number <= COUNT; number += 1) {
    const digits = String(number).padStart(6, '0');
    const page = await reply(sandbox, `paged?PageNumber=${number}&PageSize=10&SortBy=CreatedDate&SortDirection=desc`);
    questions.push(question('list', `GetShippingPagedList?PageNumber=${number}`, toPage(page as ExternalPage)));
    const details = await reply(sandbox, `details?OrderId=ORD-${digits}`);
    const { ShippingDetails } = details as { ShippingDetails: ExternalRecord[] };
    questions.push(question('list', `GetShippingDetails?OrderId=ORD-${digits}`, ShippingDetails.map(lookupItem)));
    const record = (await reply(sandbox, `by-id/SHP-${digits}`)) as ExternalDetail & { TrackingNumber: string };
    const { TrackingNumber } = record;
    questions.push(question('lookup', `GetShippingInfoById/SHP-${digits}`, toDetail(record)));
    questions.push(question('lookup', `GetShippingSingle?TrackingNumber=${TrackingNumber}`, toDetail(record)));
  }
  return questions;
}

function lookupItem(record: ExternalRecord): object {
  return { ...toListItem(record), createdBy: undefined };
}

function question(kind: Question['kind'], path: string, expected: object): Question {
  const text = JSON.stringify(expected);
  return { kind, path: `${OPERATIONS}/${path}`, isRight: (body) => body === text };
}

async function reply(sandbox: string, path: string): Promise<unknown> {
  const response = await fetch(`${sandbox}/shippings/${path}`);
  if (response.status !== 200) throw new Error(`The sandbox responded with ${response.status} to ${path}`);
  return response.json();
}

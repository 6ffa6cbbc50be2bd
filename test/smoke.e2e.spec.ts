import { startScriptedService, type ScriptedService } from './support/service';
import { json } from './support/upstream/answers';
import { pagedReply, wireRecords } from './support/upstream/records';

describe('smoke', () => {
  let scripted: ScriptedService;
  beforeAll(async () => {
    scripted = await startScriptedService();
  });
  afterAll(() => scripted.close());

  it('answers', async () => {
    scripted.upstream.respondWith(json(pagedReply(wireRecords(3))));
    const answer = await scripted.service.ask('GetShippingPagedList?PageSize=3');
    expect(answer.status).toBe(200);
    expect(answer.json().items).toHaveLength(3);
    expect(scripted.upstream.calls[0]?.target).toBe(
      '/shippings/paged?PageNumber=1&PageSize=3&SortBy=CreatedDate&SortDirection=desc',
    );
    expect(Object.keys(scripted.upstream.calls[0]!.headers)).toEqual([]);
  });
});

import type { RunningService } from './service';

/** How many requests have joined an external call of others so far. */
export async function sharedCalls(service: RunningService): Promise<number> {
  const { body } = await service.get('/metrics');
  return Number(/^external_shipping_policy_events_total\{event="shared"\} (\d+)$/m.exec(body)?.[1] ?? 0);
}

/** Resolves when so many requests have joined an external call of others. */
export async function untilSharedBy(service: RunningService, count: number): Promise<void> {
  let shared = await sharedCalls(service);
  while (shared < count) shared = await sharedCalls(service);
}

import type { RunningService } from './service';

/** Resolves when so many requests, besides that for the metrics, are in progress. */
export async function untilActive(service: RunningService, count: number): Promise<void> {
  for (;;) {
    const { body } = await service.get('/metrics');
    if (Number(/^http_server_active_requests (\d+)$/m.exec(body)?.[1]) > count) return;
  }
}

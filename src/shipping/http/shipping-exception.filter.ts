import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendProblem } from '../../http/problems/problem.filter';
import { setRetryAfter } from '../../http/responses/response-headers';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { EXTERNAL_SYSTEM_FAILED, ShippingNotFoundException } from '../model/shipping-exceptions';
import { setCacheStatus } from './respond';

const SERVICE_UNAVAILABLE = 503;

export const STRICT_STATUS: Readonly<Record<UpstreamFailure['reason'], number>> = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': SERVICE_UNAVAILABLE,
  'circuit-open': SERVICE_UNAVAILABLE,
  saturated: SERVICE_UNAVAILABLE,
};

/** Responds 404 where no record matches, and 500 or, to strict clients, by the reason where the external system failed. */
@Catch(UpstreamFailure, ShippingNotFoundException)
export class ShippingExceptionFilter implements ExceptionFilter<UpstreamFailure | ShippingNotFoundException> {
  catch(exception: UpstreamFailure | ShippingNotFoundException, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (exception instanceof ShippingNotFoundException) {
      setCacheStatus(reply, exception.cache);
      sendProblem(reply, exception.definition);
      return;
    }
    const { reason, retryAfterMs } = exception;
    const status = reply.request.strict ? STRICT_STATUS[reason] : EXTERNAL_SYSTEM_FAILED.status;
    if (status === SERVICE_UNAVAILABLE && retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
    sendProblem(reply, { ...EXTERNAL_SYSTEM_FAILED, status, reason });
  }
}

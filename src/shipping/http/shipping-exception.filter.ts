import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { sendProblem } from '../../http/problems/problem.filter';
import { setRetryAfter } from '../../http/responses/response-headers';
import { UpstreamFailure } from '../../resilience/upstream-failure';
import { EXTERNAL_SYSTEM_FAILED } from '../model/shipping-exceptions';

const STRICT_STATUS: Readonly<Record<UpstreamFailure['reason'], number>> = {
  'upstream-timeout': 504,
  'upstream-error': 502,
  'bad-reply': 502,
  'upstream-unreachable': 503,
  'circuit-open': 503,
  saturated: 503,
};

/** Responds 500 where the external system failed, to strict clients by the reason. */
@Catch(UpstreamFailure)
export class ShippingExceptionFilter implements ExceptionFilter<UpstreamFailure> {
  catch({ reason, retryAfterMs, message }: UpstreamFailure, host: ArgumentsHost): void {
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    reply.request.cause = message;
    const status = reply.request.strict ? STRICT_STATUS[reason] : EXTERNAL_SYSTEM_FAILED.status;
    if (status === 503 && retryAfterMs !== undefined) setRetryAfter(reply, retryAfterMs);
    sendProblem(reply, { ...EXTERNAL_SYSTEM_FAILED, status, reason });
  }
}

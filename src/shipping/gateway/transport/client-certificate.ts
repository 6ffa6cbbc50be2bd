import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { X509Certificate } from 'node:crypto';
import { SETTINGS, type Settings } from '../../../config/settings';

const DAY_MS = 24 * 60 * 60 * 1000;
const WARNING_DAYS = 14;

/** Warns at start and once a day where the client certificate, which is read at start, expires within 14 days. */
@Injectable()
export class ClientCertificate implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(ClientCertificate.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {}

  onModuleInit(): void {
    const { cert } = this.settings.external.tls;
    if (cert === undefined) return;
    const expiresAt = Date.parse(new X509Certificate(cert).validTo);
    this.warn(expiresAt);
    this.timer = setInterval(() => {
      this.warn(expiresAt);
    }, DAY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private warn(expiresAt: number): void {
    const days = (expiresAt - Date.now()) / DAY_MS;
    if (days > WARNING_DAYS) return;
    const date = new Date(expiresAt).toISOString().slice(0, 10);
    const verb = days > 0 ? 'expires' : 'expired';
    this.logger.warn(`The client certificate for the external system ${verb} on ${date}`);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { StandardProtocol } from '../../src/shipping/gateway/protocol/standard-protocol';

/** A protocol that needs what no module of the application provides. */
@Injectable()
export class NeedyProtocol extends StandardProtocol {
  @Inject('TENANTS') readonly tenants: unknown;
}

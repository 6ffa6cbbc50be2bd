import { OmitType } from '@nestjs/swagger';
import { ShippingListItem } from './shipping-list-item';

/** One entry of the unpaged list: the list item without `createdBy`. */
export class ShippingLookupItem extends OmitType(ShippingListItem, ['createdBy'] as const) {}

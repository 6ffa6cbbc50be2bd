import { RequiredIdentifier } from '../parameters';

/** What `GetShippingInfoById` takes from its path. */
export class GetShippingInfoByIdParams {
  @RequiredIdentifier()
  Id: string;
}

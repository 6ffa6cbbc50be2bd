import { RequiredIdentifier } from '../shared/parameters';

/** The path parameter of `GetShippingInfoById`. */
export class GetShippingInfoByIdParams {
  @RequiredIdentifier()
  id: string;
}

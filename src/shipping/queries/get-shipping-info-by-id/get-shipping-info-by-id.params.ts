import { RequiredIdentifier } from '../parameters';

/** What `GetShippingInfoById` takes from its path; its name is the one in the path, which callers see. */
export class GetShippingInfoByIdParams {
  @RequiredIdentifier()
  id: string;
}

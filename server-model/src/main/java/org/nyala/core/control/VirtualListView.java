package org.nyala.core.control;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The value of the virtual list view control (draft-ietf-ldapext-ldapv3-vlv-09, section 5.1): the
 * part of a sorted list that is wanted.
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 *
 * @param before entries wanted before the target
 * @param after entries wanted after the target
 * @param offset the position of the target, from 1, in a list of {@code contentCount}; not with a
 *     value
 * @param contentCount the client's estimate of the list length; 0 if it has none
 * @param value the value of the target, which is the first entry that is not before it; null for
 *     one by offset
 * @param contextId the context id from the server's previous response; null for none
 */
public record VirtualListView(
    int before,
    int after,
    int offset,
    int contentCount,
    byte @Nullable [] value,
    byte @Nullable [] contextId) {
  private static final String RESPONSE_OID = "2.16.840.1.113730.3.4.10";
  private static final int BY_OFFSET = 0xa0;
  private static final int GREATER_THAN_OR_EQUAL = 0x81;

  /**
   * The control of a request; null if it has none.
   *
   * @throws LdapOperationException protocolError for a value that is not one
   */
  public static @Nullable VirtualListView of(RequestControls controls)
      throws LdapOperationException {
    return controls.decode(ControlType.VIRTUAL_LIST_VIEW, VirtualListView::decode);
  }

  private static VirtualListView decode(BerReader whole) throws InvalidBerException {
    BerReader in = whole.sequence();
    int before = count(in);
    int after = count(in);
    int offset = 0;
    int contentCount = 0;
    byte[] value = null;
    if (in.nextTag() == BY_OFFSET) {
      int outer = in.enter(BY_OFFSET);
      offset = in.integer();
      contentCount = count(in);
      in.leaveExtensible(outer);
    } else {
      value = in.octets(GREATER_THAN_OR_EQUAL);
    }
    byte[] contextId = in.nextTag() == BerReader.OCTET_STRING ? in.octets() : null;
    in.skipExtensions();
    return new VirtualListView(before, after, offset, contentCount, value, contextId);
  }

  private static int count(BerReader in) throws InvalidBerException {
    int count = in.integer();
    if (count < 0) {
      throw new InvalidBerException("negative count");
    }
    return count;
  }

  /**
   * The control of a response (section 5.2).
   *
   * @param position the position of the target, from 1; one more than the number of entries if it
   *     lies behind the last one; 0 in an empty list
   * @param contentCount the number of entries in the list
   * @param code the result of the request
   * @param contextId the id of the list for the next request; null if there is none
   */
  public static ResponseControl response(
      int position, int contentCount, ResultCode code, byte @Nullable [] contextId) {
    BerWriter content =
        new BerWriter().integer(position).integer(contentCount).enumerated(code.code());
    if (contextId != null) {
      content.octets(contextId);
    }
    return new ResponseControl(RESPONSE_OID, new BerWriter().sequence(content).toByteArray());
  }
}

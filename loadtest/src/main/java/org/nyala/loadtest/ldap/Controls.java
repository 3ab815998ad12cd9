package org.nyala.loadtest.ldap;

/**
 * An encoder of the controls of lists that are read piece by piece, and of content synchronization.
 * Not for the hot path.
 */
public final class Controls {
  /** Simple paged results, request and response (RFC 2696). */
  public static final String PAGED_RESULTS = "1.2.840.113556.1.4.319";

  /** The request of server-side sorting (RFC 2891). */
  static final String SORT = "1.2.840.113556.1.4.473";

  /** The response of server-side sorting. */
  public static final String SORTED = "1.2.840.113556.1.4.474";

  /** The request for a virtual list view (draft-ietf-ldapext-ldapv3-vlv-09). */
  static final String LIST_VIEW = "2.16.840.1.113730.3.4.9";

  /** The response of a virtual list view. */
  public static final String LIST_VIEWED = "2.16.840.1.113730.3.4.10";

  /** The request of content synchronization (RFC 4533, section 2.2). */
  static final String SYNC = "1.3.6.1.4.1.4203.1.9.1.1";

  /** The state of an entry in a synchronization. */
  public static final String SYNC_STATE = "1.3.6.1.4.1.4203.1.9.1.2";

  /** The end of a synchronization. */
  public static final String SYNC_DONE = "1.3.6.1.4.1.4203.1.9.1.3";

  /** The intermediate response of a synchronization. */
  static final String SYNC_INFO = "1.3.6.1.4.1.4203.1.9.1.4";

  /** The request to treat referrals as entries (RFC 3296). */
  private static final String MANAGE_DSA_IT = "2.16.840.1.113730.3.4.2";

  private static final int REFRESH_ONLY = 1;
  private static final int REFRESH_AND_PERSIST = 3;
  private static final int ORDERING_RULE = 0x80;
  private static final int BY_OFFSET = 0xa0;

  private Controls() {}

  /** Requests the page that the cookie leads to; the cookie of the first page is empty. */
  public static byte[] page(int size, byte[] cookie) {
    return Pdu.control(
        PAGED_RESULTS,
        Pdu.element(Pdu.SEQUENCE, Pdu.integer(size), Pdu.element(Pdu.OCTET_STRING, cookie)));
  }

  /**
   * Requests the changes since the cookie.
   *
   * @param isPersistent true if later changes are to follow
   * @param cookie empty for the whole content
   */
  public static byte[] sync(boolean isPersistent, byte[] cookie) {
    byte[] mode = {(byte) (isPersistent ? REFRESH_AND_PERSIST : REFRESH_ONLY)};
    byte[] since = cookie.length == 0 ? cookie : Pdu.element(Pdu.OCTET_STRING, cookie);
    return Pdu.control(SYNC, Pdu.element(Pdu.SEQUENCE, Pdu.element(Pdu.ENUMERATED, mode), since));
  }

  /** Requests referrals as entries. */
  public static byte[] manageDsaIt() {
    return Pdu.control(MANAGE_DSA_IT);
  }

  /**
   * Requests an order.
   *
   * @param key an attribute, optionally with an ordering rule: {@code uid:caseIgnoreOrderingMatch}
   */
  public static byte[] sort(String key) {
    int colon = key.indexOf(':');
    String attribute = colon < 0 ? key : key.substring(0, colon);
    byte[] type = Pdu.element(Pdu.OCTET_STRING, Pdu.utf8(attribute));
    byte[] sortKey =
        colon < 0
            ? Pdu.element(Pdu.SEQUENCE, type)
            : Pdu.element(
                Pdu.SEQUENCE, type, Pdu.element(ORDERING_RULE, Pdu.utf8(key.substring(colon + 1))));
    return Pdu.control(SORT, Pdu.element(Pdu.SEQUENCE, sortKey));
  }

  /**
   * Requests {@code size} entries from an offset on, by the server's own count of the list.
   *
   * @param context the server's identifier of the list in its last answer; empty in the first
   *     request
   */
  public static byte[] listView(int offset, int size, byte[] context) {
    byte[] target = Pdu.element(BY_OFFSET, Pdu.integer(offset), Pdu.integer(0));
    byte[] list = context.length == 0 ? context : Pdu.element(Pdu.OCTET_STRING, context);
    return Pdu.control(
        LIST_VIEW, Pdu.element(Pdu.SEQUENCE, Pdu.integer(0), Pdu.integer(size - 1L), target, list));
  }
}

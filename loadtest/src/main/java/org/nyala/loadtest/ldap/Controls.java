package org.nyala.loadtest.ldap;

/** An encoder of the controls of lists that are read piece by piece. Not for the hot path. */
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

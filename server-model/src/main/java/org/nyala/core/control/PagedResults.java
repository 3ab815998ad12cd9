package org.nyala.core.control;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;

/**
 * The value of the paged results control (RFC 2696, section 2).
 *
 * <p>Immutable, but for the array, which is never written to after construction.
 *
 * @param size entries wanted in this page; 0 ends the list
 * @param cookie the cookie of the previous page; empty for the first page
 */
public record PagedResults(int size, byte[] cookie) {
  /** The cookie after which no page follows. */
  public static final byte[] NO_COOKIE = {};

  /** The object identifier, of request and response alike. */
  private static final String OID = ControlType.PAGED_RESULTS.oid();

  /**
   * The control of a request; null if it has none, or if it is to be ignored: the first page would
   * hold as many entries as the client wants at all (RFC 2696, section 3).
   *
   * @param sizeLimit the entries that the client wants; 0 for all
   * @throws LdapOperationException protocolError for a value that is not one
   */
  public static @Nullable PagedResults of(RequestControls controls, int sizeLimit)
      throws LdapOperationException {
    PagedResults found = controls.decode(ControlType.PAGED_RESULTS, PagedResults::decode);
    boolean isIgnored =
        found != null && found.cookie.length == 0 && sizeLimit > 0 && found.size >= sizeLimit;
    return isIgnored ? null : found;
  }

  private static PagedResults decode(BerReader value) throws InvalidBerException {
    BerReader in = value.sequence();
    int size = in.integer();
    byte[] cookie = in.octets();
    in.skipExtensions();
    if (size < 0) {
      throw new InvalidBerException("negative page size");
    }
    return new PagedResults(size, cookie);
  }

  /**
   * The control of a response.
   *
   * @param estimate the number of entries in the whole list; 0 if unknown
   * @param cookie the cookie with which to request the next page; empty after the last one
   */
  public static ResponseControl response(int estimate, byte[] cookie) {
    BerWriter content = new BerWriter().integer(estimate).octets(cookie);
    return new ResponseControl(OID, new BerWriter().sequence(content).toByteArray());
  }
}

package org.nyala.core.control;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.RequestControl;

/**
 * The value of the sync request control (RFC 4533, section 2.2).
 *
 * <p>Immutable.
 *
 * @param isPersistent true for refreshAndPersist, false for refreshOnly
 * @param cookie the cookie of the client; null if it has none
 */
public record SyncRequest(boolean isPersistent, @Nullable String cookie) {
  /** The most bytes that a cookie may have: one with the numbers of more servers than there are. */
  private static final int MOST_COOKIE_BYTES = 64 << 10;

  private static final int REFRESH_ONLY = 1;
  private static final int REFRESH_AND_PERSIST = 3;

  /**
   * The control of a request; null if it has none. The reload hint is read and not used: a cookie
   * that cannot be served from the journal is answered with everything that the client needs.
   *
   * @throws LdapOperationException protocolError if it does not conform to the RFC
   */
  public static @Nullable SyncRequest of(RequestControls controls) throws LdapOperationException {
    return controls.decode(ControlType.SYNC_REQUEST, SyncRequest::decode);
  }

  private static SyncRequest decode(BerReader value) throws InvalidBerException {
    BerReader sequence = value.sequence();
    int mode = sequence.enumerated();
    byte[] cookie = sequence.nextTag() == BerReader.OCTET_STRING ? sequence.octets() : null;
    if (sequence.nextTag() == BerReader.BOOLEAN) {
      sequence.bool();
    }
    sequence.skipExtensions();
    if (mode != REFRESH_ONLY && mode != REFRESH_AND_PERSIST) {
      throw new InvalidBerException("mode " + mode);
    }
    if (cookie != null && cookie.length > MOST_COOKIE_BYTES) {
      throw new InvalidBerException("a cookie of more than " + MOST_COOKIE_BYTES + " bytes");
    }
    return new SyncRequest(
        mode == REFRESH_AND_PERSIST,
        cookie == null ? null : new String(cookie, StandardCharsets.UTF_8));
  }

  /** Returns whether a control, which may be malformed, is one for refreshAndPersist. */
  public static boolean isPersistent(RequestControl control) {
    try {
      BerReader value =
          control.oid().equals(ControlType.SYNC_REQUEST.oid()) ? control.reader() : null;
      return value != null && decode(value).isPersistent();
    } catch (InvalidBerException _) {
      return false;
    }
  }
}

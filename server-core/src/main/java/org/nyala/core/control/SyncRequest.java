package org.nyala.core.control;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

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
   * Reads the value of the control. The reload hint is read and not used: a cookie that cannot be
   * served from the journal is answered with everything that the client needs.
   *
   * @throws LdapOperationException protocolError if it does not conform to the RFC
   */
  public static SyncRequest read(byte[] value) throws LdapOperationException {
    try {
      BerReader reader = new BerReader(value);
      BerReader sequence = reader.sequence();
      int mode = sequence.enumerated();
      byte[] cookie =
          sequence.hasNext() && sequence.nextTag() == BerReader.OCTET_STRING
              ? sequence.octets()
              : null;
      if (sequence.hasNext() && sequence.nextTag() == BerReader.BOOLEAN) {
        sequence.bool();
      }
      sequence.skipExtensions();
      reader.requireEnd();
      if (mode != REFRESH_ONLY && mode != REFRESH_AND_PERSIST) {
        throw refused("mode " + mode);
      }
      if (cookie != null && cookie.length > MOST_COOKIE_BYTES) {
        throw refused("a cookie of more than " + MOST_COOKIE_BYTES + " bytes");
      }
      return new SyncRequest(
          mode == REFRESH_AND_PERSIST,
          cookie == null ? null : new String(cookie, StandardCharsets.UTF_8));
    } catch (InvalidBerException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  /** Returns whether the value of a control, which may be malformed, is for refreshAndPersist. */
  public static boolean isPersistent(byte @Nullable [] value) {
    try {
      return value != null && read(value).isPersistent();
    } catch (LdapOperationException _) {
      return false;
    }
  }

  private static LdapOperationException refused(String why) {
    return new LdapOperationException(ResultCode.PROTOCOL_ERROR, "sync request control: " + why);
  }
}

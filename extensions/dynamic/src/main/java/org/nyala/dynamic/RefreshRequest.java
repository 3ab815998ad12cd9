package org.nyala.dynamic;

import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The value of a Refresh request (RFC 2589, section 4.1).
 *
 * <p>Immutable.
 *
 * @param name the name of the entry
 * @param ttlSeconds the time that it should live from now on, 1 to 31557600
 */
record RefreshRequest(String name, int ttlSeconds) {
  private static final int ENTRY_NAME = 0x80;
  private static final int REQUEST_TTL = 0x81;

  /**
   * Reads the value.
   *
   * @throws LdapOperationException protocolError if it is missing or malformed, or there is no such
   *     time to live
   */
  static RefreshRequest read(@Nullable BerReader reader) throws LdapOperationException {
    if (reader == null) {
      throw new LdapOperationException(ResultCode.PROTOCOL_ERROR, "Refresh without a value");
    }
    try {
      BerReader sequence = reader.sequence();
      String name = BerReader.lenientText(sequence.octets(ENTRY_NAME));
      int ttlSeconds = sequence.integer(REQUEST_TTL);
      sequence.skipExtensions();
      reader.requireEnd();
      if (ttlSeconds < 1 || ttlSeconds > DynamicSettings.GREATEST_MAXIMUM_SECONDS) {
        throw new LdapOperationException(
            ResultCode.PROTOCOL_ERROR,
            "a time to live is 1 to " + DynamicSettings.GREATEST_MAXIMUM_SECONDS + " seconds");
      }
      return new RefreshRequest(name, ttlSeconds);
    } catch (InvalidBerException e) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "the value of Refresh: " + e.getMessage());
    }
  }
}

package org.nyala.core.control;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.ResponseControl;

/**
 * The controls and messages that a content synchronization is answered with (RFC 4533, sections 2.3
 * to 2.5). Stateless.
 */
public final class SyncResponse {
  /** The name of the intermediate response. */
  public static final String INFO = "1.3.6.1.4.1.4203.1.9.1.4";

  /** The entry was added to the content, or is there in the refresh stage. */
  public static final int ADD = 1;

  /** The entry was modified within the content. */
  public static final int MODIFY = 2;

  /** The entry is no longer in the content. */
  public static final int DELETE = 3;

  private static final String STATE = "1.3.6.1.4.1.4203.1.9.1.2";
  private static final String DONE = "1.3.6.1.4.1.4203.1.9.1.3";
  private static final int NEW_COOKIE = 0x80;
  private static final int REFRESH_DELETE = 0xa1;
  private static final int REFRESH_PRESENT = 0xa2;
  private static final int ID_SET = 0xa3;
  private static final int SET = 0x31;
  private static final int UUID_BYTES = 16;

  private SyncResponse() {}

  /**
   * Returns the control of an entry.
   *
   * @param state {@link #ADD}, {@link #MODIFY} or {@link #DELETE}
   * @param cookie the cookie; null in the refresh stage
   */
  public static ResponseControl state(int state, UUID entryUuid, byte @Nullable [] cookie) {
    BerWriter content = new BerWriter().enumerated(state).octets(bytes(entryUuid));
    return new ResponseControl(STATE, sequence(withCookie(content, cookie)));
  }

  /** Returns the control of the result that ends a refresh. */
  public static ResponseControl done(byte @Nullable [] cookie, boolean refreshDeletes) {
    BerWriter content = withCookie(new BerWriter(), cookie);
    return new ResponseControl(DONE, sequence(flag(content, refreshDeletes, false)));
  }

  /** Returns the message with a new cookie. */
  public static byte[] newCookie(byte[] cookie) {
    return new BerWriter().octets(NEW_COOKIE, cookie).toByteArray();
  }

  /** Returns the message at the end of a delete phase. */
  public static byte[] refreshDelete(byte[] cookie, boolean isDone) {
    BerWriter content = withCookie(new BerWriter(), cookie);
    return new BerWriter().constructed(REFRESH_DELETE, flag(content, isDone, true)).toByteArray();
  }

  /** Returns the message at the end of a present phase. */
  public static byte[] refreshPresent(byte[] cookie, boolean isDone) {
    BerWriter content = withCookie(new BerWriter(), cookie);
    return new BerWriter().constructed(REFRESH_PRESENT, flag(content, isDone, true)).toByteArray();
  }

  /**
   * Returns the message about several entries at once.
   *
   * @param refreshDeletes true if they are no longer in the content, false if they are unchanged
   */
  public static byte[] idSet(
      byte @Nullable [] cookie, boolean refreshDeletes, List<UUID> entryUuids) {
    BerWriter set = new BerWriter();
    for (UUID each : entryUuids) {
      set.octets(bytes(each));
    }
    BerWriter content = withCookie(new BerWriter(), cookie);
    flag(content, refreshDeletes, false).constructed(SET, set);
    return new BerWriter().constructed(ID_SET, content).toByteArray();
  }

  private static byte[] sequence(BerWriter content) {
    return new BerWriter().sequence(content).toByteArray();
  }

  private static BerWriter withCookie(BerWriter content, byte @Nullable [] cookie) {
    return cookie == null ? content : content.octets(cookie);
  }

  private static BerWriter flag(BerWriter content, boolean value, boolean isDefault) {
    return value == isDefault ? content : content.bool(value);
  }

  private static byte[] bytes(UUID uuid) {
    byte[] bytes = new byte[UUID_BYTES];
    for (int i = 0; i < Long.BYTES; i++) {
      bytes[i] = (byte) (uuid.getMostSignificantBits() >>> 56 - 8 * i);
      bytes[Long.BYTES + i] = (byte) (uuid.getLeastSignificantBits() >>> 56 - 8 * i);
    }
    return bytes;
  }
}

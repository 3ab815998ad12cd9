package org.nyala.loadtest.ldap;

import java.nio.charset.StandardCharsets;

/**
 * The progress of a content synchronization (RFC 4533) as its messages tell it: the cookie to go on
 * from, and whether the refresh stage is over. Elements that are malformed are passed over.
 *
 * <p>Confined to the channel's event loop. Hot: {@link #control}.
 */
public final class SyncProgress {
  /** The time of a change without one. */
  public static final long NO_TIME = CsnTime.NONE;

  /** The result code of a search that has to begin again. */
  public static final int REFRESH_REQUIRED = 4096;

  private static final byte[] STATE = Pdu.utf8(Controls.SYNC_STATE);
  private static final byte[] DONE = Pdu.utf8(Controls.SYNC_DONE);
  private static final byte[] INFO = Pdu.utf8(Controls.SYNC_INFO);
  private static final int NEW_COOKIE = 0x80;
  private static final int REFRESH_DELETE = 0xa1;
  private static final int REFRESH_PRESENT = 0xa2;
  private static final int ID_SET = 0xa3;

  private final CsnTime times = new CsnTime();
  private String refreshCookie;
  private byte[] cookie = new byte[0];
  private int length;
  private long changeNanos = NO_TIME;
  private boolean isRefreshed;
  private boolean hasLastCookie;

  /** Begins with a cookie, which may be empty. */
  public SyncProgress(byte[] cookie) {
    this.refreshCookie = new String(cookie, StandardCharsets.UTF_8);
  }

  /** Notes that a search begins. */
  public void begin() {
    changeNanos = NO_TIME;
    isRefreshed = false;
    hasLastCookie = false;
  }

  /** Returns the cookie to begin the next search from; empty if there was none. */
  public byte[] cookie() {
    String last = new String(cookie, 0, length, StandardCharsets.UTF_8);
    return Pdu.utf8(MergedCookie.of(refreshCookie, last));
  }

  /** Returns whether the refresh stage is over. */
  public boolean isRefreshed() {
    return isRefreshed;
  }

  /**
   * Returns the time in the cookie of the entry whose controls were read, in nanoseconds since
   * 1970, and forgets it; {@link #NO_TIME} if there was none.
   */
  public long takeChangeNanos() {
    long taken = changeNanos;
    changeNanos = NO_TIME;
    return taken;
  }

  /** Reads a control of an entry, or of the result that ends the search. */
  public void control(BerCursor name, BerCursor value) {
    if (name.is(STATE)) {
      readState(value);
    } else if (name.is(DONE) && enter(value, Pdu.SEQUENCE)) {
      hasLastCookie = takeRefreshCookie(value);
    }
  }

  private void readState(BerCursor value) {
    if (enter(value, Pdu.SEQUENCE)
        && value.next(Pdu.ENUMERATED)
        && value.next(Pdu.OCTET_STRING)
        && value.next(Pdu.OCTET_STRING)) {
      take(value);
      changeNanos = times.latest(cookie, length);
    }
  }

  /** Reads an intermediate response. */
  public void intermediate(BerCursor name, BerCursor value) {
    if (!name.is(INFO)) {
      return;
    }
    if (value.next(NEW_COOKIE)) {
      take(value);
    } else if (enter(value, REFRESH_DELETE) || enter(value, REFRESH_PRESENT)) {
      takeRefreshCookie(value);
      // The flag is true unless it is there.
      isRefreshed |= !value.next(Pdu.BOOLEAN) || value.number() != 0;
    } else if (enter(value, ID_SET) && value.next(Pdu.OCTET_STRING)) {
      take(value);
    }
  }

  /** Notes the end of the search: if the content has to be read again, no cookie is left. */
  public void ended(int resultCode) {
    if (resultCode == REFRESH_REQUIRED && !hasLastCookie) {
      refreshCookie = "";
      length = 0;
    }
  }

  private static boolean enter(BerCursor value, int tag) {
    if (!value.next(tag)) {
      return false;
    }
    value.enter();
    return true;
  }

  /** Takes the cookie of all that a copy has, if it is next; returns whether it is. */
  private boolean takeRefreshCookie(BerCursor value) {
    boolean isNext = value.next(Pdu.OCTET_STRING);
    if (isNext) {
      refreshCookie = value.text();
      length = 0;
    }
    return isNext;
  }

  private void take(BerCursor value) {
    length = value.length();
    if (length > cookie.length) {
      cookie = new byte[length];
    }
    value.copyTo(cookie);
  }
}

package org.nyala.core.operation.sync;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.SyncCookie;
import org.nyala.core.control.SyncRequest;
import org.nyala.core.control.SyncResponse;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;

/**
 * The client of a synchronization as its cookie describes it, and the cookies that it gets: the
 * form is OpenLDAP's, and the number of the replica is the client's own.
 *
 * <p>Immutable.
 */
final class SyncClient {
  private final int replicaId;
  private final int serverId;
  private final int ownServerId;
  private final @Nullable CsnVector known;
  private final boolean isOfLog;

  /** The cookie up to its numbers. */
  private final byte[] prefix;

  private SyncClient(
      int replicaId, int serverId, int ownServerId, @Nullable CsnVector known, boolean isOfLog) {
    this.prefix = bytes(SyncCookie.of(replicaId, CsnVector.EMPTY) + ",csn=");
    this.replicaId = replicaId;
    this.serverId = serverId;
    this.ownServerId = ownServerId;
    this.known = known;
    this.isOfLog = isOfLog;
  }

  /**
   * Reads the cookie of a request for entries. One that is none is taken as no cookie. Numbers that
   * a copy has given itself are not known to others: they belong to other changes there.
   *
   * @param ownServerId the number of this server
   */
  static SyncClient of(SyncRequest request, int ownServerId) {
    return of(request, ownServerId, false);
  }

  /** Reads the cookie of a request for the log of modifications, which is that of one server. */
  static SyncClient ofLog(SyncRequest request, int ownServerId) {
    return of(request, ownServerId, true);
  }

  private static SyncClient of(SyncRequest request, int ownServerId, boolean isOfLog) {
    String text = request.cookie();
    SyncCookie cookie = text == null ? null : SyncCookie.parse(text);
    if (cookie == null) {
      return new SyncClient(0, SyncCookie.NO_SERVER, ownServerId, null, isOfLog);
    }
    CsnVector csns = isOfLog ? cookie.csns() : cookie.csns().given();
    // A client that gives back a cookie of this server is not this server.
    int serverId = cookie.serverId() == ownServerId ? SyncCookie.NO_SERVER : cookie.serverId();
    return new SyncClient(
        cookie.replicaId(), serverId, ownServerId, csns.csns().isEmpty() ? null : csns, isOfLog);
  }

  /** Returns the changes that the client has; null if it has none. */
  @Nullable CsnVector known() {
    return known;
  }

  /** Returns whether the client is the server that made a change. */
  boolean hasMade(Csn csn) {
    return csn.serverId() == serverId;
  }

  /**
   * Refuses a client that has changes which this server has not: its data was restored from a
   * backup, or it has not caught up with another server. Servers that it does not know do not
   * count, except itself.
   *
   * @throws LdapOperationException unwillingToPerform: consumers try again later, which they do at
   *     once after e-syncRefreshRequired; or that, if the changes were taken back here
   */
  void requireNotAhead(CsnVector present, CsnVector floor) throws LdapOperationException {
    CsnVector csns = known;
    if (csns == null) {
      return;
    }
    requireKept(csns, present, floor);
    for (Csn csn : csns.csns()) {
      boolean isKnown = present.of(csn.serverId()) != null || csn.serverId() == ownServerId;
      if (isKnown && !present.covers(csn)) {
        throw new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM,
            "the copy has changes up to "
                + csn
                + ", the server has not: was it restored from a backup?");
      }
    }
  }

  /**
   * Requires that no change was taken back that a client has, as a refresh from an older provider
   * does: the journal's floor has it then, and the naming context has not.
   *
   * @throws LdapOperationException syncRefreshRequired, from nothing
   */
  void requireKept(CsnVector csns, CsnVector present, CsnVector floor)
      throws LdapOperationException {
    for (Csn csn : csns.csns()) {
      if (!present.covers(csn) && floor.covers(csn)) {
        throw refreshRequired(null, "changes that the copy has were taken back");
      }
    }
  }

  /** Returns the cookie of a client that has some changes. */
  byte[] cookie(CsnVector csns) {
    return bytes(text(csns));
  }

  /**
   * Returns the cookie that goes with one change: without a number that a copy has given itself.
   */
  byte[] cookie(Csn csn) {
    if (csn.modification() > 0 && !isOfLog) {
      return cookie(CsnVector.EMPTY);
    }
    byte[] number = csn.toBytes();
    byte[] cookie = Arrays.copyOf(prefix, prefix.length + number.length);
    System.arraycopy(number, 0, cookie, prefix.length, number.length);
    return cookie;
  }

  /**
   * Returns the cookie that goes with deletions.
   *
   * @param csns the changes that the client has
   * @param deletion the last of the deletions
   */
  byte[] cookie(CsnVector csns, Csn deletion) {
    return bytes(text(csns) + ",delcsn=" + deletion);
  }

  private String text(CsnVector csns) {
    // Without the number of this server: a client that gives it back would seem to be this server.
    return SyncCookie.of(replicaId, isOfLog ? csns : csns.given()).toString();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Returns the end of a synchronization whose client has to begin again.
   *
   * @param csns the changes that the client has; null if it has to begin from nothing
   */
  LdapOperationException refreshRequired(@Nullable CsnVector csns, String why) {
    byte[] cookie = csns == null ? null : cookie(csns);
    LdapResult result = LdapResult.of(ResultCode.SYNC_REFRESH_REQUIRED, why);
    return new LdapOperationException(result.with(List.of(SyncResponse.done(cookie, false))));
  }
}

package org.nyala.core.operation.sync;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.ContextEpochs;
import org.nyala.core.backend.ContextHistory;
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
  private final SyncCookie given;
  private final int ownServerId;
  private final @Nullable CsnVector known;
  private final boolean isOfLog;

  /** The cookie up to its numbers. */
  private final byte[] prefix;

  /** The cookie after its numbers: the history here, if the client is told of it. */
  private final byte[] suffix;

  /** The same of cookies that do not go with single changes: they tell the epochs here, too. */
  private final byte[] longSuffix;

  private SyncClient(
      SyncCookie given,
      int ownServerId,
      boolean isOfLog,
      @Nullable ContextHistory history,
      ContextEpochs epochs) {
    this.given = given;
    this.ownServerId = ownServerId;
    this.known = given.csns().csns().isEmpty() ? null : given.csns();
    this.isOfLog = isOfLog;
    this.prefix = bytes(SyncCookie.of(given.replicaId(), CsnVector.EMPTY) + ",csn=");
    String named = history == null ? "" : ",history=" + history.id();
    this.suffix = bytes(named);
    this.longSuffix =
        bytes(epochs.equals(ContextEpochs.NONE) ? named : named + SyncCookie.field(epochs));
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
      return new SyncClient(
          SyncCookie.of(CsnVector.EMPTY), ownServerId, isOfLog, null, ContextEpochs.NONE);
    }
    CsnVector csns = isOfLog ? cookie.csns() : cookie.csns().given();
    // A client that gives back a cookie of this server is not this server.
    int serverId = cookie.serverId() == ownServerId ? SyncCookie.NO_SERVER : cookie.serverId();
    SyncCookie given =
        new SyncCookie(
            cookie.replicaId(),
            serverId,
            csns,
            cookie.history(),
            cookie.epochs(),
            cookie.isQuestion(),
            0);
    return new SyncClient(given, ownServerId, isOfLog, null, ContextEpochs.NONE);
  }

  /**
   * Returns the same client, whose cookies name the history of the naming context.
   *
   * @param history that history; null if the store keeps none yet
   */
  SyncClient of(@Nullable ContextHistory history) {
    return of(history, ContextEpochs.NONE);
  }

  /**
   * Returns the same client, whose cookies name the history and the epochs of the naming context.
   *
   * @param history that history; null if the store keeps none yet
   */
  SyncClient of(@Nullable ContextHistory history, ContextEpochs epochs) {
    return new SyncClient(
        given, ownServerId, isOfLog, history, isNyala() ? epochs : ContextEpochs.NONE);
  }

  /** Returns whether the client is known to keep histories and epochs, by what its cookie names. */
  private boolean isNyala() {
    return given.history() != null
        || given.isQuestion()
        || !given.epochs().equals(ContextEpochs.NONE);
  }

  /**
   * Returns the end of a session whose client is to ask again, because its cookies name a history
   * or epochs that are others now. Clients such as slapd go on with the cookie that they have, as
   * after a restart of the server.
   *
   * @param reached the changes that the client has
   */
  LdapOperationException askAgain(@Nullable CsnVector reached) {
    String why = "the history or the writer has become another one meanwhile";
    return isNyala()
        ? refreshRequired(reached, why)
        : new LdapOperationException(ResultCode.UNAVAILABLE, why);
  }

  /** Returns whether the cookies of another one name the same history and the same epochs. */
  boolean namesTheSame(SyncClient other) {
    return Arrays.equals(longSuffix, other.longSuffix);
  }

  /** Returns the epochs that the client knows. */
  ContextEpochs epochs() {
    return given.epochs();
  }

  /** Returns whether the client asks for the epochs alone. */
  boolean isQuestion() {
    return given.isQuestion();
  }

  /**
   * Requires that the client has got its numbers in this history, or does not say where.
   *
   * @param history the history of the naming context; null if the store keeps none yet
   * @param present the changes that it has
   * @throws LdapOperationException syncRefreshRequired, from nothing
   */
  void requireHistory(@Nullable ContextHistory history, CsnVector present)
      throws LdapOperationException {
    String named = given.history();
    CsnVector csns = known;
    if (csns == null || named == null || named.isEmpty()) {
      return;
    }
    if (history == null || !history.hasBeen(named)) {
      throw refreshRequired(
          null,
          "the data of this server was restored, imported, refreshed from nothing or copied back");
    }
    if (!history.has(named, csns, present)) {
      throw refreshRequired(
          null, "the copy has changes that this server has lost: its data was copied back");
    }
  }

  /** Returns whether the client knows that it has its numbers from this history. */
  boolean isOf(@Nullable ContextHistory history) {
    String named = given.history();
    return history != null && named != null && history.hasBeen(named);
  }

  /**
   * Returns the end of a synchronization whose client has changes that this history lacks.
   *
   * @param csn the number of one of them
   * @return syncRefreshRequired for clients that begin from nothing then, and for those of the log;
   *     others, such as slapd, would come back at once with the same cookie, or leave entries that
   *     are newer there as they are: unwillingToPerform
   */
  LdapOperationException foreign(Csn csn) {
    String why =
        "the copy has the change "
            + csn
            + ", which this server never had: its data was restored or imported";
    return isNyala() || isOfLog
        ? refreshRequired(null, why)
        : new LdapOperationException(
            ResultCode.UNWILLING_TO_PERFORM, why + "; empty the copy and have it begin anew");
  }

  /** Returns the number of the client in its cookie; 0 if it has none. */
  int replicaId() {
    return given.replicaId();
  }

  /** Returns the changes that the client has; null if it has none. */
  @Nullable CsnVector known() {
    return known;
  }

  /** Returns whether the client is the server that made a change. */
  boolean hasMade(Csn csn) {
    return csn.serverId() == given.serverId();
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
    return cookie(named(csns).toString());
  }

  /**
   * Returns the cookie that goes with one change: without a number that a copy has given itself.
   */
  byte[] cookie(Csn csn) {
    if (csn.modification() > 0 && !isOfLog) {
      return cookie(CsnVector.EMPTY);
    }
    byte[] number = csn.toBytes();
    byte[] cookie = Arrays.copyOf(prefix, prefix.length + number.length + suffix.length);
    System.arraycopy(number, 0, cookie, prefix.length, number.length);
    System.arraycopy(suffix, 0, cookie, prefix.length + number.length, suffix.length);
    return cookie;
  }

  /**
   * Returns the cookie that goes with deletions of a refresh.
   *
   * @param csns the changes that the client has
   * @param reached the changes that the refresh leads to
   * @param deletion the last of the deletions
   */
  byte[] cookie(CsnVector csns, CsnVector reached, Csn deletion) {
    return cookie(named(csns).ofDeletions(reached.given(), deletion.given()));
  }

  /**
   * Returns the answer to a question.
   *
   * @param lagSeconds how old the copy here is; see {@link SyncCookie}
   */
  byte[] answer(int lagSeconds) {
    return cookie(named(CsnVector.EMPTY) + SyncCookie.lagField(lagSeconds));
  }

  private byte[] cookie(String text) {
    byte[] start = bytes(text);
    byte[] cookie = Arrays.copyOf(start, start.length + longSuffix.length);
    System.arraycopy(longSuffix, 0, cookie, start.length, longSuffix.length);
    return cookie;
  }

  private SyncCookie named(CsnVector csns) {
    // Without the number of this server: a client that gives it back would seem to be this server.
    return SyncCookie.of(given.replicaId(), isOfLog ? csns : csns.given());
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

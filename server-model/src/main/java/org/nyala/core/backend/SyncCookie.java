package org.nyala.core.backend;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The cookie of a content synchronization (RFC 4533) in the form that OpenLDAP gives it: {@code
 * rid=001,sid=002,csn=CSN;CSN}. Nyala adds {@code history=IDENTITY}, which others pass over: slapd
 * makes cookies anew without it. A client that gives one back, even an empty one, begins from
 * nothing if it is told to. Nyala also tells the epochs that it knows, {@code epochs=}, and asks
 * for those of another server alone with {@code ask=1}. The answer of a copy has {@code lag=}
 * beside them, the seconds since it was known to have everything, or -1.
 *
 * <p>No semicolon follows the last number: slapd takes all up to the next one in the cookie, or
 * else to the next comma, for a number, and passes over one that is none (servers/slapd/ldapsync.c,
 * slap_parse_sync_cookie). It would seem to have nothing of that server.
 *
 * <p>Immutable.
 *
 * @param replicaId the number of the consumer, 0 to 999
 * @param serverId the number of the server that the cookie comes from; {@link #NO_SERVER} if it
 *     names none
 * @param csns the changes that the consumer has
 * @param history the history that these are of; empty if it is not known; null if there is no field
 * @param epochs the epochs that the sender knows; none if there is no field
 * @param isQuestion true if the client wants to know the epochs here, and nothing else
 * @param lagSeconds the seconds since the sender, a copy, was last known to have everything; {@link
 *     #UNKNOWN_LAG} if it never was; 0 if there is no field
 */
public record SyncCookie(
    int replicaId,
    int serverId,
    CsnVector csns,
    @Nullable String history,
    ContextEpochs epochs,
    boolean isQuestion,
    int lagSeconds) {
  /** The number of no server. */
  public static final int NO_SERVER = -1;

  /** The lag of a copy that is not known to have had everything since its server has started. */
  public static final int UNKNOWN_LAG = -1;

  private static final int LAST_REPLICA = 999;
  private static final String AFTER = "after";
  private static final String EPOCHS = "epochs";
  private static final String ASK = "ask";
  private static final String LAG = "lag";
  private static final int LAST_LAG = 999_999_999;

  /** Checks the numbers. */
  public SyncCookie {
    if (replicaId < 0 || replicaId > LAST_REPLICA) {
      throw new IllegalArgumentException("replicaId " + replicaId);
    }
    if (serverId < NO_SERVER || serverId > Csn.LAST_SERVER) {
      throw new IllegalArgumentException("serverId " + serverId);
    }
    if (lagSeconds < UNKNOWN_LAG) {
      throw new IllegalArgumentException("lagSeconds " + lagSeconds);
    }
  }

  /** Creates a cookie without a history. */
  public SyncCookie(int replicaId, int serverId, CsnVector csns) {
    this(replicaId, serverId, csns, null, ContextEpochs.NONE, false, 0);
  }

  /**
   * Returns the question of a consumer for the epochs of its provider, with those that it knows.
   *
   * @param csns the changes that it has: a member of a cluster answers once it has them, too, if
   *     any member does
   */
  public static SyncCookie ofQuestion(int replicaId, ContextEpochs epochs, CsnVector csns) {
    return new SyncCookie(replicaId, NO_SERVER, csns, "", epochs, true, 0);
  }

  /** Returns the cookie of changes, for no consumer in particular. */
  public static SyncCookie of(CsnVector csns) {
    return of(0, csns);
  }

  /** Returns the cookie of changes, for a consumer with a number. */
  public static SyncCookie of(int replicaId, CsnVector csns) {
    return new SyncCookie(replicaId, NO_SERVER, csns);
  }

  /**
   * Parses a cookie. Parts other than these and {@code after} are passed over, and so are a history
   * and epochs of another form. The part {@code after} tells what the consumer has if it comes with
   * deletions of a refresh that was not ended ({@link #ofDeletions}).
   *
   * @return null if it has no {@code rid}, or a part is malformed
   */
  public static @Nullable SyncCookie parse(String text) {
    int replicaId = -1;
    int serverId = NO_SERVER;
    CsnVector csns = CsnVector.EMPTY;
    CsnVector after = null;
    String history = null;
    ContextEpochs epochs = null;
    boolean isQuestion = false;
    int lag = 0;
    for (String part : text.split(",", -1)) {
      int equals = part.indexOf('=');
      String value = part.substring(equals + 1);
      switch (part.substring(0, Math.max(0, equals))) {
        case "rid" -> {
          replicaId = number(value, 10, 3, LAST_REPLICA);
          if (replicaId < 0) {
            return null;
          }
        }
        case "sid" -> {
          serverId = number(value, 16, 3, Csn.LAST_SERVER);
          if (serverId < 0) {
            return null;
          }
        }
        case "csn" -> {
          csns = vector(value);
          if (csns == null) {
            return null;
          }
        }
        case AFTER -> {
          after = vector(value);
          if (after == null) {
            return null;
          }
        }
        case "history" -> history = ContextHistory.isId(value) ? value : "";
        case EPOCHS -> epochs = ContextEpochs.parse(value);
        case ASK -> isQuestion = true;
        case LAG -> lag = number(value, 10, 9, LAST_LAG);
        case "" -> {
          return null;
        }
        default -> {}
      }
    }
    return replicaId < 0
        ? null
        : new SyncCookie(
            replicaId,
            serverId,
            after == null ? csns : after,
            history,
            epochs == null ? ContextEpochs.NONE : epochs,
            isQuestion,
            lag);
  }

  private static @Nullable CsnVector vector(String value) {
    List<Csn> csns = new ArrayList<>();
    for (String each : value.split(";", -1)) {
      Csn csn = Csn.parse(each);
      if (csn == null) {
        return null;
      }
      csns.add(csn);
    }
    return CsnVector.ofLargest(csns);
  }

  /** Reads a number; -1 if it is none, or too large. */
  private static int number(String text, int radix, int digits, int most) {
    boolean isNumber = !text.isEmpty() && text.length() <= digits;
    for (int i = 0; i < text.length(); i++) {
      isNumber &= text.charAt(i) < 0x80 && Character.digit(text.charAt(i), radix) >= 0;
    }
    int number = isNumber ? Integer.parseInt(text, radix) : -1;
    return number > most ? -1 : number;
  }

  /**
   * Returns the text of a cookie that goes with deletions of a refresh. OpenLDAP's consumer deletes
   * by it and forgets it: only entries whose last change is in {@code csn}. Other clients may keep
   * it, and have no more than they asked with.
   *
   * @param reached the changes that the refresh leads to
   * @param last the last of the deletions
   */
  public String ofDeletions(CsnVector reached, Csn last) {
    StringBuilder text = start();
    append(text, AFTER, csns);
    append(text, "csn", reached);
    return text.append(",delcsn=").append(last).toString();
  }

  private StringBuilder start() {
    StringBuilder text = new StringBuilder(String.format(Locale.ROOT, "rid=%03d", replicaId));
    if (serverId != NO_SERVER) {
      text.append(String.format(Locale.ROOT, ",sid=%03x", serverId));
    }
    return text;
  }

  /** Returns the part of a cookie that tells epochs, with the comma before it. */
  public static String field(ContextEpochs epochs) {
    return "," + EPOCHS + "=" + epochs;
  }

  /** Returns the part of a cookie that tells a lag, with the comma before it; empty if it is 0. */
  public static String lagField(int lagSeconds) {
    return lagSeconds == 0 ? "" : "," + LAG + "=" + lagSeconds;
  }

  private static void append(StringBuilder text, String name, CsnVector csns) {
    char separator = '=';
    for (Csn csn : csns.csns()) {
      text.append(separator == '=' ? "," + name : "").append(separator).append(csn);
      separator = ';';
    }
  }

  @Override
  public String toString() {
    StringBuilder text = start();
    append(text, "csn", csns);
    if (history != null) {
      text.append(",history=").append(history);
    }
    if (!epochs.equals(ContextEpochs.NONE)) {
      text.append(field(epochs));
    }
    if (isQuestion) {
      text.append(',').append(ASK).append("=1");
    }
    return text.append(lagField(lagSeconds)).toString();
  }
}

package org.nyala.log;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.Operation;
import org.nyala.core.session.SecurityTrail;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;
import org.nyala.netty.tls.HandshakeReasons;
import org.nyala.netty.tls.TlsListener;

/**
 * The security log: writes down who has bound and who has failed to, with the reason that clients
 * are not told, and who acts as another or is refused.
 *
 * <p>Thread-safe. No caller waits for it, or makes text for it: an event holds what the operation
 * has made anyway, and its line is made by the log's thread. Events that cannot be written are
 * dropped, failures first, and so are failures of sources that have too many; their number is
 * logged. An operation that is no bind costs some comparisons.
 */
public final class SecurityLog implements SessionListener, TlsListener, LoginListener, WrittenLog {
  private static final long EVENT_BYTES = 512;
  private static final String SIMPLE = "SIMPLE";

  /**
   * An event, and what appends its fields. Immutable.
   *
   * @param bytes the memory that it takes
   */
  private record Event(
      Instant time, String name, Rank rank, long bytes, Consumer<LogFields> fields, boolean isJson)
      implements LogRecord {
    @Override
    public void appendTo(StringBuilder text) {
      LogFields line = begin(text, isJson, time, name);
      fields.accept(line);
      line.end();
    }
  }

  /**
   * A bind: one object without further ones for it, as some thousands are there in a second.
   * Immutable.
   *
   * @param operation the number of the request
   * @param policy what the password policy makes of a login; empty for nothing
   * @param bits the strength of the encryption
   * @param rule the number of the rule of {@code sasl.map}
   * @param sent the name that the client has sent
   * @param user the name that SASL has sent; empty for none
   * @param asked the identity that the client asks to act as; empty for its own
   * @param entry the entry that the names have led to
   * @param actor the one that acts as another
   */
  private record Bind(
      Instant time,
      ClientSource source,
      int connection,
      int operation,
      @Nullable ResultCode code,
      String reason,
      String policy,
      int bits,
      int rule,
      String mechanism,
      String sent,
      String user,
      String asked,
      @Nullable Dn entry,
      @Nullable Dn actor,
      boolean isJson)
      implements LogRecord {
    @Override
    public Rank rank() {
      return code == ResultCode.SUCCESS ? Rank.LOGIN : Rank.FAILURE;
    }

    @Override
    public long bytes() {
      return EVENT_BYTES
          + size(mechanism)
          + size(sent)
          + size(user)
          + size(asked)
          + size(entry)
          + size(actor);
    }

    @Override
    public void appendTo(StringBuilder text) {
      LogFields fields = begin(text, isJson, time, eventOf(code));
      new Place(source, connection, operation)
          .append(fields, code, reason)
          .optionalWord("policy", policy)
          .number("ssf", bits);
      if (rule != SecurityTrail.NO_RULE) {
        fields.number("rule", rule);
      }
      fields.text("mech", mechanism).text("dn", sent);
      fields.optional("user", user).optional("authzid", asked);
      fields.known("entry", entry).known("actor", actor).end();
    }
  }

  private static LogFields begin(StringBuilder text, boolean isJson, Instant time, String name) {
    return new LogFields(text, isJson, LogText.FIELD_MAXIMUM).begin(time, name);
  }

  /** The source of a request, and its place in the access log. Immutable. */
  private record Place(ClientSource source, int connection, int operation) {
    private static final int NO_OPERATION = -1;

    private static Place of(Session session, Operation operation) {
      return new Place(
          session.connection().source(), session.connectionNumber(), operation.number());
    }

    /** Appends it, and the result of the request. */
    private LogFields append(LogFields fields, @Nullable ResultCode code, String reason) {
      fields.source(source).number("conn", connection);
      if (operation != NO_OPERATION) {
        fields.number("op", operation);
      }
      if (code != null) {
        fields.number("code", code.code());
      }
      return fields.optionalWord("reason", reason);
    }
  }

  private final LogWriter writer;
  private final InstantSource clock;
  private final SourceQuota quota;
  private final LongAdder leftOut = new LongAdder();
  private final boolean isJson;
  private final boolean withSuccess;

  private SecurityLog(LogWriter writer, SecuritySettings settings, InstantSource clock) {
    this.writer = writer;
    this.clock = clock;
    this.quota = new SourceQuota(settings.failuresPerSecond(), System.nanoTime());
    this.isJson = settings.format() == SecuritySettings.Format.JSON;
    this.withSuccess = settings.successfulBinds();
  }

  /**
   * Opens the log.
   *
   * @throws IOException if its file cannot be written
   */
  public static SecurityLog open(SecuritySettings settings, InstantSource clock)
      throws IOException {
    boolean isJson = settings.format() == SecuritySettings.Format.JSON;
    LogWriter writer =
        LogWriter.start(
            settings.file(), "security", count -> LogFields.drops(isJson, clock.instant(), count));
    return new SecurityLog(writer, settings, clock);
  }

  /** Returns the number of events that are not written down. */
  @Override
  public long dropped() {
    return writer.dropped() + leftOut.sum();
  }

  /** Adds a failure. */
  private void addFailure(String event, long textBytes, Consumer<LogFields> fields) {
    add(event, LogRecord.Rank.FAILURE, textBytes, fields);
  }

  /** Adds a change of an account or of the server. */
  private void addChange(String event, long textBytes, Consumer<LogFields> fields) {
    add(event, LogRecord.Rank.CHANGE, textBytes, fields);
  }

  private void add(String event, LogRecord.Rank rank, long textBytes, Consumer<LogFields> fields) {
    writer.add(new Event(clock.instant(), event, rank, EVENT_BYTES + textBytes, fields, isJson));
  }

  /** Returns the memory that a text, or the name of an entry, takes; in bytes. */
  private static long size(@Nullable Object of) {
    return switch (of) {
      case null -> 0;
      case String text -> 2L * text.length();
      case Dn name -> name.raw().length;
      default -> throw new IllegalArgumentException(of.toString());
    };
  }

  /** Returns whether a failure of a source may be added. */
  private boolean admits(ClientSource source) {
    int place = quota.place(source);
    if (quota.take(place, System.nanoTime())) {
      int before = quota.leftOut(place);
      if (before > 0) {
        addFailure("lines-left-out", 0, fields -> fields.source(source).number("lines", before));
      }
      return true;
    }
    leftOut.increment();
    if (quota.isFirstLeftOut(place)) {
      addFailure("lines-left-out-from-now-on", 0, fields -> fields.source(source));
    }
    return false;
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    ResultCode code = answer == null ? null : answer.code();
    if (operation.request() instanceof Request.Bind bind) {
      if (code != ResultCode.SASL_BIND_IN_PROGRESS) {
        bound(session, operation, bind, code);
      }
    } else if (operation.trail() != null || isRefusal(code)) {
      acted(session, operation, code);
    }
  }

  private static boolean isRefusal(@Nullable ResultCode code) {
    return code == ResultCode.INSUFFICIENT_ACCESS_RIGHTS
        || code == ResultCode.AUTHORIZATION_DENIED
        || code == ResultCode.STRONGER_AUTH_REQUIRED;
  }

  /** Returns whether an operation that is no bind has shown a password that was wrong. */
  private static boolean isGuess(@Nullable SecurityTrail trail) {
    RefusalReason reason = trail == null ? null : trail.reason();
    return reason == RefusalReason.WRONG_PASSWORD
        || reason == RefusalReason.FORMER_PASSWORD
        || reason == RefusalReason.ACCOUNT_LOCKED
        || reason == RefusalReason.TOO_MANY_FAILURES;
  }

  private void bound(
      Session session, Operation operation, Request.Bind bind, @Nullable ResultCode code) {
    BoundIdentity established = operation.established();
    boolean isSuccess = code == ResultCode.SUCCESS;
    boolean isWanted =
        isSuccess ? withSuccess && established != null : admits(session.connection().source());
    if (!isWanted) {
      return;
    }
    SecurityTrail trail = operation.trail();
    writer.add(
        new Bind(
            clock.instant(),
            session.connection().source(),
            session.connectionNumber(),
            operation.number(),
            code,
            reason(code, trail),
            isSuccess && trail != null ? trail.notice() : "",
            session.connection().strengthBits(),
            isSuccess || trail == null ? SecurityTrail.NO_RULE : trail.rule(),
            bind.saslMechanism() == null ? SIMPLE : LogText.cut(bind.saslMechanism()),
            LogText.cut(bind.name()),
            trail == null ? "" : LogText.cut(trail.user()),
            asked(trail),
            entry(operation),
            actor(established, trail),
            isJson));
  }

  private static String asked(@Nullable SecurityTrail trail) {
    return trail == null ? "" : LogText.cut(trail.asked());
  }

  /** Returns the entry that a bind has led to; null if it has led to none. */
  static @Nullable Dn entry(Operation operation) {
    BoundIdentity established = operation.established();
    SecurityTrail trail = operation.trail();
    if (established != null) {
      return established.dn();
    }
    return trail == null ? null : trail.found();
  }

  /** Returns the one that acts, or wants to, as somebody else; null if there is none. */
  private static @Nullable Dn actor(
      @Nullable BoundIdentity identity, @Nullable SecurityTrail trail) {
    BoundIdentity actor = trail == null ? null : trail.actor();
    return actor == null || actor.equals(identity) ? null : actor.dn();
  }

  /**
   * Returns the name of the event of a bind. One that the server could not judge is not a failure
   * of the client, which somebody may lock out for that.
   */
  private static String eventOf(@Nullable ResultCode code) {
    if (code == null) {
      return "bind-abandoned";
    }
    return switch (code) {
      case SUCCESS -> "bind";
      case BUSY,
          UNAVAILABLE,
          OTHER,
          CANCELED,
          OPERATIONS_ERROR,
          TIME_LIMIT_EXCEEDED,
          ADMIN_LIMIT_EXCEEDED ->
          "bind-not-judged";
      default -> "bind-failed";
    };
  }

  private static String reason(@Nullable ResultCode code, @Nullable SecurityTrail trail) {
    RefusalReason known = trail == null ? null : trail.reason();
    if (known != null) {
      return known.label();
    }
    return code == null || code == ResultCode.SUCCESS ? "" : code.label();
  }

  private void acted(Session session, Operation operation, @Nullable ResultCode code) {
    SecurityTrail trail = operation.trail();
    Dn actor = actor(operation.identity(), trail);
    boolean isRefused = isRefusal(code) || isGuess(trail);
    if (code == null || !isRefused && actor == null) {
      return;
    }
    if (isRefused && !admits(session.connection().source())) {
      return;
    }
    acted(
        isRefused ? LogRecord.Rank.FAILURE : LogRecord.Rank.LOGIN,
        isRefused ? "access-denied" : "acts-as-another",
        session,
        operation,
        code,
        reason(code, trail),
        LogText.cut(target(operation.request())));
  }

  /**
   * Adds what an operation has done.
   *
   * @param target a text or the name of an entry
   */
  private void acted(
      LogRecord.Rank rank,
      String event,
      Session session,
      Operation operation,
      ResultCode code,
      String reason,
      Object target) {
    Place place = Place.of(session, operation);
    String type = operation.request().type().label();
    Dn identity = proved(operation);
    String asked = asked(operation.trail());
    add(
        event,
        rank,
        size(asked) + size(target) + size(identity),
        fields ->
            place
                .append(fields, code, reason)
                .word("operation", type)
                .known("identity", identity)
                .optional("authzid", asked)
                .known("target", target));
  }

  /** Returns the identity that the client has proved, on whose behalf it acts or not. */
  private static Dn proved(Operation operation) {
    SecurityTrail trail = operation.trail();
    BoundIdentity actor = trail == null ? null : trail.actor();
    return actor == null ? operation.identity().dn() : actor.dn();
  }

  /** Returns the name that a request is about. */
  private static String target(Request request) {
    return switch (request) {
      case Request.Bind bind -> bind.name();
      case Request.Search search -> search.base();
      case Request.Compare compare -> compare.name();
      case Request.Extended extended -> extended.oid();
      case Request.Add add -> add.name();
      case Request.Delete delete -> delete.name();
      case Request.ModifyDn rename -> rename.name();
      case Request.Modify modify -> modify.name();
      case Request.Unbind _, Request.Abandon _ -> "";
    };
  }

  @Override
  public void bindMalformed(Session session, LdapResult answer) {
    ResultCode code = answer.code();
    ClientSource source = session.connection().source();
    Place place = new Place(source, session.connectionNumber(), Place.NO_OPERATION);
    int bits = session.connection().strengthBits();
    if (admits(source)) {
      addFailure(
          eventOf(code),
          0,
          fields ->
              place
                  .append(fields, code, code.label())
                  .number("ssf", bits)
                  .text("mech", "")
                  .text("dn", ""));
    }
  }

  @Override
  public void accountLocked(Session session, Operation operation, Dn account) {
    Place place = Place.of(session, operation);
    addChange(
        "account-locked",
        size(account),
        fields -> place.append(fields, null, "").known("entry", account));
  }

  @Override
  public void passwordChanged(Session session, Operation operation, Dn account) {
    boolean isOwn = operation.identity().dn().equals(account);
    acted(
        LogRecord.Rank.CHANGE,
        isOwn ? "password-changed" : "password-reset",
        session,
        operation,
        ResultCode.SUCCESS,
        "",
        account);
  }

  /** Notes that an administrator has changed the state of an account. */
  public void administered(Administrator caller, String action, Dn account) {
    administered("account-administered", caller, action, account);
  }

  /** Notes that an administrator has acted on a copy of another server's naming context. */
  public void copyAdministered(Administrator caller, String action, String suffix) {
    administered("copy-administered", caller, action, suffix);
  }

  /** Notes that an administrator has given a command to an extension. */
  public void extensionAdministered(Administrator caller, String command, String extension) {
    // Words of a command may be anything: the last field is quoted.
    administered("extension-administered", caller, extension, command.strip());
  }

  /** Notes that an administrator has ended all changes, or takes them up again. */
  public void readOnlySwitched(Administrator caller, boolean isOn) {
    administered("read-only-switched", caller, isOn ? "on" : "off", null);
  }

  private void administered(
      String event, Administrator caller, String action, @Nullable Object entry) {
    addChange(
        event,
        size(caller.user()) + size(entry),
        fields ->
            fields
                .word("via", caller.way().label())
                .word("action", action)
                .optional("user", caller.user())
                .known("entry", entry));
  }

  @Override
  public void handshakeFailed(ClientSource client, Throwable cause) {
    if (admits(client)) {
      String reason = HandshakeReasons.of(cause);
      addFailure(
          "handshake-failed", size(reason), fields -> fields.source(client).text("reason", reason));
    }
  }

  @Override
  public void certificatesTaken(String purpose, Instant firstEnd) {
    changed("certificates-read" + word(purpose), "until", firstEnd.toString());
  }

  @Override
  public void certificatesRefused(String purpose, String reason) {
    changed("certificates-refused" + word(purpose), "reason", reason);
  }

  private static String word(String purpose) {
    return purpose.replace(' ', '-');
  }

  @Override
  public void cameIn(String port, String user, String address) {
    cameIn("management-login", LogRecord.Rank.CHANGE, source(address), port, user);
  }

  @Override
  public void refused(String port, String address) {
    ClientSource source = source(address);
    if (admits(source)) {
      cameIn("management-login-failed", LogRecord.Rank.FAILURE, source, port, "");
    }
  }

  @Override
  public void acted(
      String port, String user, String address, String action, String target, boolean isDone) {
    ClientSource source = source(address);
    String about = LogText.cut(target);
    add(
        isDone ? "management-action" : "management-action-refused",
        LogRecord.Rank.CHANGE,
        size(user) + size(about),
        fields ->
            fields
                .source(source)
                .word("via", port)
                .word("action", action)
                .optional("user", user)
                .optional("about", about));
  }

  private void cameIn(
      String event, LogRecord.Rank rank, ClientSource source, String port, String user) {
    add(event, rank, 0, fields -> fields.source(source).word("via", port).optional("user", user));
  }

  private static ClientSource source(String address) {
    try {
      InetAddress literal = InetAddress.ofLiteral(address);
      return new ClientSource(new InetSocketAddress(literal, 0), null, null);
    } catch (IllegalArgumentException _) {
      return ClientSource.UNKNOWN;
    }
  }

  /**
   * Notes that the configuration was read again.
   *
   * @param keys the keys whose changes are in force
   */
  public void reloaded(String keys) {
    changed("configuration-read", "keys", keys);
  }

  /** Notes that the configuration was to be read again, and stays as it was. */
  public void reloadFailed(String reason) {
    changed("configuration-refused", "reason", reason);
  }

  private void changed(String event, String label, String details) {
    addChange(event, 0, fields -> fields.text(label, details));
  }

  /** Writes the events in the queue, then closes the log. */
  @Override
  public void close() {
    writer.close();
  }
}

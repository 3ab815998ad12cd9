package org.nyala.log;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.RefusalReason;
import org.nyala.core.message.Request;
import org.nyala.core.message.ResultCode;
import org.nyala.core.session.ClientConnection;
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
 * <p>Thread-safe. No caller waits for it: it drops events that it cannot write, and failures of
 * sources that have too many, and logs their number. An operation that is no bind costs some
 * comparisons.
 */
public final class SecurityLog
    implements SessionListener, TlsListener, LoginListener, AutoCloseable {
  private static final long EVENT_BYTES = 512;
  private static final String SIMPLE = "SIMPLE";

  private record Line(SecurityEvent event, Instant time, boolean isJson) implements LogRecord {
    @Override
    public long bytes() {
      return EVENT_BYTES + event.bytes();
    }

    @Override
    public void appendTo(StringBuilder text) {
      LogFields fields = isJson ? new JsonFields(text) : new TextFields(text);
      fields.begin(time, event.name());
      event.append(fields);
      fields.end();
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
    AccessFormat format =
        settings.format() == SecuritySettings.Format.JSON ? new JsonFormat() : new StatsFormat();
    LogWriter writer =
        LogWriter.start(settings.file(), "security", count -> format.drops(clock.instant(), count));
    return new SecurityLog(writer, settings, clock);
  }

  /** Returns the number of events that are not written down. */
  public long dropped() {
    return writer.dropped() + leftOut.sum();
  }

  private void add(SecurityEvent event) {
    writer.add(new Line(event, clock.instant(), isJson));
  }

  /** Returns whether a failure of a source may be added. */
  private boolean admits(ClientSource source) {
    int place = quota.place(source);
    if (quota.take(place, System.nanoTime())) {
      int before = quota.leftOut(place);
      if (before > 0) {
        add(new SecurityEvent.LeftOut(source, before));
      }
      return true;
    }
    leftOut.increment();
    if (quota.isFirstLeftOut(place)) {
      add(new SecurityEvent.LeftOut(source, 0));
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
    ClientConnection connection = session.connection();
    ClientSource source = connection.source();
    // An anonymous client that remains one has done nothing.
    boolean isWanted = isSuccess ? withSuccess && established != null : admits(source);
    if (!isWanted) {
      return;
    }
    SecurityTrail trail = operation.trail();
    String mechanism = bind.saslMechanism();
    add(
        new SecurityEvent.Bind(
            eventOf(code),
            new SecurityEvent.Place(source, session.connectionNumber(), operation.number()),
            code,
            reason(code, trail),
            isSuccess && trail != null ? trail.notice() : "",
            mechanism == null ? SIMPLE : LogText.cut(mechanism),
            connection.strengthBits(),
            LogText.cut(bind.name()),
            trail == null ? "" : LogText.cut(trail.user()),
            trail == null ? "" : LogText.cut(trail.asked()),
            isSuccess || trail == null ? SecurityTrail.NO_RULE : trail.rule(),
            entry(established, trail),
            actor(established, trail)));
  }

  private static @Nullable Dn entry(
      @Nullable BoundIdentity established, @Nullable SecurityTrail trail) {
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
    // Whoever asks to act as itself, as anonymous clients may too, does nothing out of the
    // ordinary.
    Dn actor = actor(operation.identity(), trail);
    boolean isRefused = isRefusal(code) || isGuess(trail);
    if (code == null || !isRefused && actor == null) {
      return;
    }
    ClientSource source = session.connection().source();
    if (isRefused && !admits(source)) {
      return;
    }
    add(
        new SecurityEvent.Acted(
            isRefused ? "access-denied" : "acts-as-another",
            new SecurityEvent.Place(source, session.connectionNumber(), operation.number()),
            code,
            reason(code, trail),
            operation.request().type().label(),
            proved(operation),
            trail == null ? "" : LogText.cut(trail.asked()),
            LogText.cut(target(operation.request()))));
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
    ClientConnection connection = session.connection();
    ClientSource source = connection.source();
    if (admits(source)) {
      add(
          new SecurityEvent.Bind(
              eventOf(answer.code()),
              new SecurityEvent.Place(source, session.connectionNumber(), -1),
              answer.code(),
              answer.code().label(),
              "",
              "",
              connection.strengthBits(),
              "",
              "",
              "",
              SecurityTrail.NO_RULE,
              null,
              null));
    }
  }

  @Override
  public void accountLocked(Session session, Operation operation, Dn account) {
    add(new SecurityEvent.Locked(place(session, operation), account));
  }

  @Override
  public void passwordChanged(Session session, Operation operation, Dn account) {
    boolean isOwn = operation.identity().dn().equals(account);
    SecurityTrail trail = operation.trail();
    add(
        new SecurityEvent.Acted(
            isOwn ? "password-changed" : "password-reset",
            place(session, operation),
            ResultCode.SUCCESS,
            "",
            operation.request().type().label(),
            proved(operation),
            trail == null ? "" : LogText.cut(trail.asked()),
            LogText.cut(account.toString())));
  }

  private static SecurityEvent.Place place(Session session, Operation operation) {
    return new SecurityEvent.Place(
        session.connection().source(), session.connectionNumber(), operation.number());
  }

  /** Notes that an administrator has changed the state of an account. */
  public void administered(Administrator caller, String action, Dn account) {
    add(new SecurityEvent.Administered(caller, action, account));
  }

  /** Notes that an administrator has acted on a copy of another server's naming context. */
  public void copyAdministered(Administrator caller, String action, String suffix) {
    add(new SecurityEvent.CopyAdministered(caller, action, suffix));
  }

  /** Notes that an administrator has ended all changes, or takes them up again. */
  public void readOnlySwitched(Administrator caller, boolean isOn) {
    add(new SecurityEvent.ReadOnlySwitched(caller, isOn));
  }

  @Override
  public void handshakeFailed(ClientSource client, Throwable cause) {
    if (admits(client)) {
      add(new SecurityEvent.Handshake(client, HandshakeReasons.of(cause)));
    }
  }

  @Override
  public void certificatesTaken(String purpose, Instant firstEnd) {
    add(
        new SecurityEvent.Change(
            "certificates-read" + word(purpose), "until", firstEnd.toString()));
  }

  @Override
  public void certificatesRefused(String purpose, String reason) {
    add(new SecurityEvent.Change("certificates-refused" + word(purpose), "reason", reason));
  }

  private static String word(String purpose) {
    return purpose.replace(' ', '-');
  }

  @Override
  public void cameIn(String port, String user, String address) {
    add(new SecurityEvent.Login("management-login", source(address), port, user));
  }

  @Override
  public void refused(String port, String address) {
    ClientSource source = source(address);
    if (admits(source)) {
      add(new SecurityEvent.Login("management-login-failed", source, port, ""));
    }
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
    add(new SecurityEvent.Change("configuration-read", "keys", keys));
  }

  /** Notes that the configuration was to be read again, and stays as it was. */
  public void reloadFailed(String reason) {
    add(new SecurityEvent.Change("configuration-refused", "reason", reason));
  }

  /** Writes the events in the queue, then closes the log. */
  @Override
  public void close() {
    writer.close();
  }
}

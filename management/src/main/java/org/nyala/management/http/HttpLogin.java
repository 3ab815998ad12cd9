package org.nyala.management.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.log.LoginListener;
import org.nyala.log.ManagementLogin;

/**
 * The check of names and passwords (RFC 7617).
 *
 * <p>One password is checked at a time, whoever sends it: a slow hash occupies one processor and
 * the memory of one hash. A few requests of each network wait for that, and some of all networks
 * together; further ones are refused at once, so that a client that guesses delays others by few
 * checks. Nothing is kept of a password once it was checked.
 *
 * <p>Thread-safe. Blocks while a password is checked.
 */
final class HttpLogin {
  /** The requests of one network that wait or are checked. */
  static final int PLACES_OF_NETWORK = 4;

  /** The same of all networks together; each has a thread. */
  static final int PLACES = 32;

  private static final System.Logger LOG = System.getLogger(HttpLogin.class.getName());
  private static final int PATIENCE_SECONDS = 5;
  private static final String SCHEME = "basic ";

  /** The interval of lines in the log: anybody can send wrong passwords. */
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final HttpAnswer WRONG =
      HttpAnswer.text(HttpAnswer.UNAUTHORIZED, "a user and a password are needed")
          .with("WWW-Authenticate", "Basic realm=\"Nyala\", charset=\"UTF-8\"");

  private volatile HttpAccess access;
  private final LoginListener logins;
  private final Semaphore turn = new Semaphore(1, true);
  private final Semaphore places = new Semaphore(PLACES);
  private final Map<ClientNetwork, Integer> waiting = new ConcurrentHashMap<>();
  private final LongAdder wrong = new LongAdder();
  private final AtomicLong nextLineNanos = new AtomicLong(System.nanoTime());

  HttpLogin(HttpAccess access, LoginListener logins) {
    this.logins = logins;
    this.access = access;
  }

  void letIn(HttpAccess other) {
    access = other;
  }

  /** Returns the access in force. */
  HttpAccess access() {
    return access;
  }

  /** Returns the accounts that may read. */
  List<HttpAccount> readers() {
    HttpAccess now = access;
    return Stream.concat(now.monitor().stream(), now.admin().stream()).toList();
  }

  /**
   * Returns null if the client is admitted, or else the answer.
   *
   * @param wanted the accounts that are admitted, at least one
   * @param address the address of the client, for logs
   */
  @Nullable HttpAnswer refusal(
      List<HttpAccount> wanted, HttpRequest request, ClientNetwork client, String address) {
    byte[] credentials = credentials(request);
    if (credentials == null) {
      return WRONG;
    }
    try {
      return inTurn(wanted, credentials, client, address);
    } finally {
      Arrays.fill(credentials, (byte) 0);
    }
  }

  private @Nullable HttpAnswer inTurn(
      List<HttpAccount> wanted, byte[] credentials, ClientNetwork client, String address) {
    if (waiting.merge(client, 1, Integer::sum) > PLACES_OF_NETWORK) {
      leave(client);
      return busy(HttpAnswer.TOO_MANY);
    }
    boolean hasPlace = places.tryAcquire();
    boolean hasTurn = false;
    try {
      hasTurn = hasPlace && turn.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (!hasTurn) {
        return busy(HttpAnswer.UNAVAILABLE);
      }
      ManagementLogin login = new ManagementLogin("http", address, logins);
      return isRight(login, wanted, credentials) ? null : refused(login, client);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return busy(HttpAnswer.UNAVAILABLE);
    } finally {
      turn.release(hasTurn ? 1 : 0);
      places.release(hasPlace ? 1 : 0);
      leave(client);
    }
  }

  private void leave(ClientNetwork client) {
    Integer _ = waiting.computeIfPresent(client, (_, count) -> count == 1 ? null : count - 1);
  }

  private static HttpAnswer busy(String status) {
    return HttpAnswer.text(status, "too many passwords are being checked").with("Retry-After", "1");
  }

  /** Returns user and password, separated by a colon; null if there are none. */
  private static byte @Nullable [] credentials(HttpRequest request) {
    String header = request.header("Authorization").orElse("");
    if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      return null;
    }
    try {
      return Base64.getDecoder().decode(header.substring(SCHEME.length()).strip());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  /**
   * Checks the account of the name, or the first one, so that the time does not reveal whether the
   * name or the password is wrong.
   */
  private static boolean isRight(
      ManagementLogin login, List<HttpAccount> wanted, byte[] credentials) {
    int colon = 0;
    while (colon < credentials.length && credentials[colon] != ':') {
      colon++;
    }
    byte[] user = Arrays.copyOf(credentials, colon);
    byte[] password =
        Arrays.copyOfRange(
            credentials, Math.min(colon + 1, credentials.length), credentials.length);
    boolean isUser = false;
    HttpAccount asked = wanted.getFirst();
    for (HttpAccount each : wanted) {
      if (MessageDigest.isEqual(each.user().getBytes(UTF_8), user)) {
        isUser = true;
        asked = each;
      }
    }
    boolean isPassword = login.matches(asked.password(), password);
    Arrays.fill(password, (byte) 0);
    return isUser && isPassword;
  }

  /** Counts and logs it: the name is the client's input, and may be the password. */
  private HttpAnswer refused(ManagementLogin login, ClientNetwork client) {
    wrong.increment();
    login.refused();
    long due = nextLineNanos.get();
    long now = System.nanoTime();
    if (now - due >= 0 && nextLineNanos.compareAndSet(due, now + LOG_NANOS)) {
      LOG.log(
          Level.WARNING,
          "HTTP: a wrong name or password from {0}; {1} so far, one of them is logged in a minute",
          client.name(),
          Long.toString(wrong.sum()));
    }
    return WRONG;
  }
}

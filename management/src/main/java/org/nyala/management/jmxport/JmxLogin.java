package org.nyala.management.jmxport;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.System.Logger.Level;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.management.remote.JMXAuthenticator;
import javax.management.remote.JMXPrincipal;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;
import org.nyala.log.LoginListener;
import org.nyala.log.ManagementLogin;

/** Authenticates clients of the JMX port by password. Thread-safe. */
final class JmxLogin implements JMXAuthenticator {
  private static final System.Logger LOG = System.getLogger(JmxLogin.class.getName());

  private volatile List<JmxAccount> accounts;
  private final Supplier<String> peer;
  private final LoginListener logins;

  /**
   * Creates the check.
   *
   * @param accounts at least one
   * @param peer the address of the client that the calling thread serves
   * @param logins learns of who comes in, and who does not
   */
  JmxLogin(List<JmxAccount> accounts, Supplier<String> peer, LoginListener logins) {
    this.accounts = List.copyOf(accounts);
    this.peer = peer;
    this.logins = logins;
  }

  /** Sets the accounts; at least one. */
  void letIn(List<JmxAccount> others) {
    accounts = List.copyOf(others);
  }

  @Override
  public Subject authenticate(@Nullable Object credentials) {
    ManagementLogin login = new ManagementLogin("jmx", peer.get(), logins);
    if (credentials instanceof String[] given && given.length == 2) {
      Optional<JmxAccount> account = account(login, given[0], given[1]);
      if (account.isPresent()) {
        String user = account.get().user();
        LOG.log(Level.INFO, "JMX: {0} logged in from {1}", user, peer.get());
        login.cameIn(user);
        return new Subject(
            true, Set.of(new JMXPrincipal(user), account.get().role()), Set.of(), Set.of());
      }
    }
    // The name is the client's input: it may be the password, or anything else.
    LOG.log(Level.WARNING, "JMX: a wrong name or password from {0}", peer.get());
    login.refused();
    throw new SecurityException("the user or the password is wrong");
  }

  /** Checks all accounts, whatever it finds, so that the time does not reveal which names exist. */
  private Optional<JmxAccount> account(
      ManagementLogin login, @Nullable String user, @Nullable String password) {
    if (user == null || password == null) {
      return Optional.empty();
    }
    byte[] givenUser = user.getBytes(UTF_8);
    byte[] givenPassword = password.getBytes(UTF_8);
    @Nullable JmxAccount found = null;
    for (JmxAccount account : accounts) {
      boolean isUser = MessageDigest.isEqual(account.user().getBytes(UTF_8), givenUser);
      boolean isPassword = login.matches(account.password(), givenPassword);
      if (isUser && isPassword) {
        found = account;
      }
    }
    return Optional.ofNullable(found);
  }
}

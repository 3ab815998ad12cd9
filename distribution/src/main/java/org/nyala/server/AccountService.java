package org.nyala.server;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.management.remote.JMXPrincipal;
import javax.security.auth.Subject;
import org.jspecify.annotations.Nullable;
import org.nyala.accounts.AccountAdministration;
import org.nyala.accounts.AccountList;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.metrics.AccountMetrics;
import org.nyala.core.operation.DirectoryOperations;
import org.nyala.core.policy.AccountAction;
import org.nyala.core.policy.AccountKind;
import org.nyala.core.policy.AccountStatus;
import org.nyala.core.policy.PolicyError;
import org.nyala.error.ErrorMessages;
import org.nyala.lmdb.LmdbBackend;
import org.nyala.log.Administrator;
import org.nyala.management.bean.AccountsMXBean;

/**
 * The accounts of a running server, for JMX and the commands that use it.
 *
 * <p>Thread-safe.
 */
final class AccountService implements AccountsMXBean {
  private final LmdbBackend backend;
  private final AccountAdministration accounts;
  private final AccountMetrics metrics;
  private final ServerLogs logs;

  private AccountService(
      LmdbBackend backend,
      AccountAdministration accounts,
      AccountMetrics metrics,
      ServerLogs logs) {
    this.backend = backend;
    this.accounts = accounts;
    this.metrics = metrics;
    this.logs = logs;
  }

  /** Creates the service for the accounts of a store. */
  static AccountService of(
      SharedComponents shared, LmdbBackend backend, DirectoryOperations operations) {
    return new AccountService(
        backend,
        new AccountAdministration(operations.directory()),
        shared.metrics().accounts(),
        shared.logs());
  }

  @Override
  public Map<String, Long> getPasswordsRefused() {
    Map<String, Long> counts = new TreeMap<>();
    for (PolicyError error : PolicyError.OF_NEW_PASSWORDS) {
      counts.put(error.label(), metrics.passwordsRefused(error.label()).sum());
    }
    return counts;
  }

  @Override
  public Account show(String dn) {
    return show(name(dn));
  }

  private Account show(Dn name) {
    AccountStatus status = accounts.show(name);
    if (status == null) {
      throw new IllegalStateException("there is no entry " + name);
    }
    AccountStatus.Password password = status.password();
    Dn policy = status.policy();
    return new Account(
        name.toString(),
        policy == null ? "" : policy.toString(),
        status.isUsable(),
        status.lock().name().toLowerCase(Locale.ROOT).replace('_', '-'),
        text(status.until()),
        status.failures(),
        text(password.changed()),
        text(password.expires()),
        password.isExpired(),
        password.graceUses(),
        password.graceLeft(),
        password.mustChange(),
        text(status.lastLogin()));
  }

  private static String text(@Nullable Instant time) {
    return time == null ? "" : time.toString();
  }

  @Override
  public Account change(String action, String dn, String by) {
    AccountAction known =
        Arrays.stream(AccountAction.values())
            .filter(each -> each.label().equals(action))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "'" + action + "': expected lock, unlock, expire or reset"));
    Dn name = name(dn);
    try {
      accounts.change(known, name);
    } catch (LdapOperationException e) {
      throw new IllegalStateException(name + ": " + reason(e.result()));
    }
    logs.administered(caller(by), action, name);
    return show(name);
  }

  private static String reason(LdapResult result) {
    return result.message().isEmpty() ? result.code().label() : result.message();
  }

  /**
   * Returns who calls: a user of the HTTP or the JMX port, or for a caller that has attached to the
   * process the one that it names.
   */
  static Administrator caller(String by) {
    return Administrator.current().orElseGet(() -> callerOfBean(by));
  }

  private static Administrator callerOfBean(String by) {
    Subject subject = Subject.current();
    return subject == null
        ? new Administrator(Administrator.Way.PROCESS, by)
        : subject.getPrincipals(JMXPrincipal.class).stream()
            .findFirst()
            .map(principal -> new Administrator(Administrator.Way.JMX, principal.getName()))
            .orElseGet(() -> new Administrator(Administrator.Way.PROCESS, by));
  }

  @Override
  public Found list(String kind, int days, int most, int seconds) {
    requireRange("days", days, 0, MAXIMUM_DAYS);
    requireRange("most", most, 1, MAXIMUM_NAMES);
    requireRange("seconds", seconds, 1, MAXIMUM_SECONDS);
    AccountList found =
        accounts.list(kind(kind), Duration.ofDays(days), most, Duration.ofSeconds(seconds));
    List<String> names = found.names().stream().map(Dn::toString).toList();
    return new Found(names, found.hasMore(), !found.isTimeUp());
  }

  private static AccountKind kind(String label) {
    return Arrays.stream(AccountKind.values())
        .filter(kind -> kind.name().toLowerCase(Locale.ROOT).equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "'" + label + "': expected locked, expiring, expired, idle or reset"));
  }

  private static void requireRange(String what, int value, int minimum, int maximum) {
    if (value < minimum || value > maximum) {
      throw new IllegalArgumentException(
          what + ": expected " + minimum + " to " + maximum + ", found " + value);
    }
  }

  private Dn name(String text) {
    try {
      return DnParser.parse(backend.extendedSchema().schema(), text);
    } catch (InvalidDnException e) {
      throw new IllegalArgumentException("'" + text + "' is no DN: " + ErrorMessages.line(e));
    }
  }
}

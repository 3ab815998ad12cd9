package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.extension.Directory;
import org.nyala.extension.Extension;
import org.nyala.extension.Hooks;
import org.nyala.log.AccessLog;
import org.nyala.log.Administrator;
import org.nyala.log.AuditLog;
import org.nyala.log.LogInUseException;
import org.nyala.log.LoginListener;
import org.nyala.log.SecretAttributes;
import org.nyala.log.SecurityLog;
import org.nyala.log.SecuritySettings;
import org.nyala.log.SlowRequests;
import org.nyala.log.WrittenLog;
import org.nyala.netty.tls.TlsListener;

/**
 * The configured logs, which can be replaced while the server runs.
 *
 * <p>Thread-safe. Closing them writes the queued records.
 */
final class ServerLogs
    implements SessionListener, ChangeListener, TlsListener, LoginListener, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerLogs.class.getName());

  /** A log that may be off, and be replaced. Thread-safe: one thread changes it at a time. */
  private static final class Slot<L extends WrittenLog> {
    private final LongAdder droppedBefore = new LongAdder();
    private volatile @Nullable L log;

    private void set(@Nullable L next) {
      L before = log;
      log = next;
      if (before != null && before != next) {
        before.close();
        droppedBefore.add(before.dropped());
      }
    }

    private void discard(@Nullable L opened) {
      if (opened != null && opened != log) {
        opened.close();
      }
    }

    private void ifOn(Consumer<L> event) {
      L open = log;
      if (open != null) {
        event.accept(open);
      }
    }

    private long dropped() {
      L open = log;
      return droppedBefore.sum() + (open == null ? 0 : open.dropped());
    }
  }

  private NyalaConfig.Logs settings;
  private final Slot<AccessLog> access = new Slot<>();
  private final Slot<AuditLog> audit = new Slot<>();
  private final Slot<SecurityLog> security = new Slot<>();
  private final SlowRequests slow = new SlowRequests(InstantSource.system());

  private ServerLogs(NyalaConfig.Logs settings) {
    this.settings = settings;
  }

  /**
   * Opens their files.
   *
   * @throws ConfigurationException if one cannot be written
   */
  static ServerLogs open(NyalaConfig configuration) {
    ServerLogs logs = new ServerLogs(NyalaConfig.Logs.NONE);
    logs.reconfigure(configuration);
    return logs;
  }

  /**
   * Closes logs whose configuration has changed, and opens the new ones.
   *
   * @throws ConfigurationException if one cannot be written; nothing was changed then
   */
  synchronized void reconfigure(NyalaConfig configuration) {
    NyalaConfig.Logs wanted = configuration.logs();
    AccessLog newAccess = access.log;
    AuditLog newAudit = audit.log;
    SecurityLog newSecurity = security.log;
    boolean isComplete = false;
    try {
      if (!wanted.access().equals(settings.access())) {
        newAccess =
            open(
                "access",
                wanted.access(),
                configuration,
                log -> AccessLog.open(log.settings(), log.format(), InstantSource.system()));
      }
      if (!wanted.audit().equals(settings.audit())) {
        newAudit =
            open(
                "audit",
                wanted.audit(),
                configuration,
                log -> AuditLog.open(log, InstantSource.system()));
      }
      if (!wanted.security().equals(settings.security())) {
        newSecurity =
            open(
                "security",
                wanted.security(),
                configuration,
                log -> openSecurity(log, configuration));
      }
      isComplete = true;
    } finally {
      if (!isComplete) {
        access.discard(newAccess);
        audit.discard(newAudit);
      }
    }
    audit.set(newAudit);
    access.set(newAccess);
    security.set(newSecurity);
    settings = wanted;
    slow.setLeastMillis(wanted.slowMillis());
  }

  /** Opens a log by its settings. */
  private interface Opening<S, L> {
    @Nullable L open(S settings) throws IOException;
  }

  private static <S, L> @Nullable L open(
      String name, Optional<S> wanted, NyalaConfig configuration, Opening<S, L> opening) {
    if (wanted.isEmpty()) {
      return null;
    }
    try {
      return opening.open(wanted.get());
    } catch (IOException e) {
      throw configuration.problem("nyala.log." + name + ".file", ErrorMessages.reason(e));
    }
  }

  private static @Nullable SecurityLog openSecurity(
      SecuritySettings wanted, NyalaConfig configuration) throws IOException {
    try {
      return openFree(wanted, configuration);
    } catch (IOException e) {
      if (wanted.isRequired()) {
        throw e;
      }
      LOG.log(
          Level.WARNING,
          "no security log is kept: {0}; set log.security.file, or log.security.format = off",
          ErrorMessages.reason(e));
      return null;
    }
  }

  /** Opens the log; that of the default beside the data, if another server has the one of all. */
  private static SecurityLog openFree(SecuritySettings wanted, NyalaConfig configuration)
      throws IOException {
    try {
      return SecurityLog.open(wanted, InstantSource.system());
    } catch (LogInUseException e) {
      if (wanted.isRequired()) {
        throw e;
      }
      Path own = configuration.data().resolve("logs").resolve("security.log");
      SecurityLog log = SecurityLog.open(wanted.at(own), InstantSource.system());
      LOG.log(
          Level.WARNING,
          "the security log is in {0}, for another server writes to {1}: set log.security.file",
          own,
          wanted.file().file());
      return log;
    }
  }

  private SessionListener listener() {
    SessionListener log = access.log;
    return log == null ? SessionListener.NONE : log;
  }

  @Override
  public void opened(Session session) {
    listener().opened(session);
  }

  @Override
  public void encrypted(Session session, String protocol, String cipher) {
    listener().encrypted(session, protocol, cipher);
  }

  @Override
  public void started(Session session, int number, Request request) {
    listener().started(session, number, request);
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    listener().completed(session, operation, answer);
    SecurityLog log = security.log;
    if (log != null) {
      log.completed(session, operation, answer);
    }
  }

  @Override
  public void bindMalformed(Session session, LdapResult answer) {
    security.ifOn(log -> log.bindMalformed(session, answer));
  }

  @Override
  public void accountLocked(Session session, Operation operation, Dn account) {
    security.ifOn(log -> log.accountLocked(session, operation, account));
  }

  @Override
  public void passwordChanged(Session session, Operation operation, Dn account) {
    security.ifOn(log -> log.passwordChanged(session, operation, account));
  }

  /** Notes that an administrator has changed the state of an account. */
  void administered(Administrator caller, String action, Dn account) {
    security.ifOn(log -> log.administered(caller, action, account));
  }

  /** Notes that an administrator has acted on a copy of another server's naming context. */
  void copyAdministered(Administrator caller, String action, String suffix) {
    security.ifOn(log -> log.copyAdministered(caller, action, suffix));
  }

  /** Notes that an administrator has given a command to an extension. */
  void extensionAdministered(Administrator caller, String command, String extension) {
    security.ifOn(log -> log.extensionAdministered(caller, command, extension));
  }

  /** Notes that an administrator has ended all changes, or takes them up again. */
  void readOnlySwitched(Administrator caller, boolean isOn) {
    security.ifOn(log -> log.readOnlySwitched(caller, isOn));
  }

  @Override
  public void closed(Session session) {
    listener().closed(session);
  }

  @Override
  public void handshakeFailed(ClientSource client, Throwable cause) {
    security.ifOn(log -> log.handshakeFailed(client, cause));
  }

  @Override
  public void certificatesTaken(String purpose, Instant firstEnd) {
    security.ifOn(log -> log.certificatesTaken(purpose, firstEnd));
  }

  @Override
  public void certificatesRefused(String purpose, String reason) {
    security.ifOn(log -> log.certificatesRefused(purpose, reason));
  }

  @Override
  public void cameIn(String port, String user, String address) {
    security.ifOn(log -> log.cameIn(port, user, address));
  }

  @Override
  public void refused(String port, String address) {
    security.ifOn(log -> log.refused(port, address));
  }

  @Override
  public void acted(
      String port, String user, String address, String action, String target, boolean isDone) {
    security.ifOn(log -> log.acted(port, user, address, action, target, isDone));
  }

  /** Notes that the configuration was read again; the lines begin with keys. */
  void reloaded(List<String> tookEffect) {
    List<String> keys = tookEffect.stream().map(line -> line.replaceFirst(" = .*", "")).toList();
    security.ifOn(log -> log.reloaded(String.join(",", keys)));
  }

  /** Notes that the configuration was to be read again, and stays as it was. */
  void reloadFailed(String reason) {
    security.ifOn(log -> log.reloadFailed(reason));
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    audit.ifOn(log -> log.committed(changes));
  }

  /**
   * Returns the extension that writes changes to the audit log, and none of their secrets.
   *
   * @param log receives the changes
   */
  static Extension auditing(ChangeListener log) {
    return new Extension() {
      @Override
      public String name() {
        return "auditlog";
      }

      @Override
      public Hooks hooks(Directory directory) {
        SecretAttributes.learn(directory.schema());
        return Hooks.NONE;
      }

      @Override
      public List<ChangeListener> listeners() {
        return List.of(log);
      }
    };
  }

  /** Returns the table of slow requests, which listens to sessions by itself. */
  SlowRequests slow() {
    return slow;
  }

  /** Returns the number of records that each has dropped since the server started, by its name. */
  Map<String, LongSupplier> dropped() {
    return Map.of(
        "access", access::dropped, "audit", audit::dropped, "security", security::dropped);
  }

  @Override
  public synchronized void close() {
    audit.set(null);
    access.set(null);
    security.set(null);
  }
}

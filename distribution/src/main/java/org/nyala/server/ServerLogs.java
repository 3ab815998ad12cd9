package org.nyala.server;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
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
import org.nyala.log.OperationEvents;
import org.nyala.log.SecretAttributes;
import org.nyala.log.SecurityLog;
import org.nyala.log.SecuritySettings;
import org.nyala.log.SlowRequests;
import org.nyala.netty.tls.TlsListener;

/**
 * The configured logs, which can be replaced while the server runs. Also passes operations to
 * flight recordings.
 *
 * <p>Thread-safe. Closing them writes the queued records.
 */
final class ServerLogs
    implements SessionListener, ChangeListener, TlsListener, LoginListener, AutoCloseable {
  private static final System.Logger LOG = System.getLogger(ServerLogs.class.getName());

  private final LongAdder droppedByAccessBefore = new LongAdder();
  private final LongAdder droppedByAuditBefore = new LongAdder();
  private final LongAdder droppedBySecurityBefore = new LongAdder();
  private NyalaConfig.Logs settings;
  private volatile @Nullable AccessLog access;
  private volatile @Nullable AuditLog audit;
  private volatile @Nullable SecurityLog security;

  /** The listener of client activity: the access log, or none. */
  private volatile SessionListener listener = SessionListener.NONE;

  private final OperationEvents events = new OperationEvents();
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

  /** The logs of a configuration that has others, opened; those that are the same stay. */
  private record Opened(
      @Nullable AccessLog access, @Nullable AuditLog audit, @Nullable SecurityLog security) {}

  /**
   * Closes logs whose configuration has changed, and opens the new ones.
   *
   * @throws ConfigurationException if one cannot be written; nothing was changed then
   */
  synchronized void reconfigure(NyalaConfig configuration) {
    NyalaConfig.Logs wanted = configuration.logs();
    Opened before = new Opened(access, audit, security);
    Opened now = open(configuration, before);
    audit = now.audit();
    access = now.access();
    security = now.security();
    listener = now.access() == null ? SessionListener.NONE : now.access();
    settings = wanted;
    slow.setLeastMillis(wanted.slowMillis());
    closeUnless(now, before);
  }

  private Opened open(NyalaConfig configuration, Opened before) {
    NyalaConfig.Logs wanted = configuration.logs();
    @Nullable AccessLog newAccess = before.access();
    @Nullable AuditLog newAudit = before.audit();
    @Nullable SecurityLog newSecurity = before.security();
    boolean isComplete = false;
    try {
      if (!wanted.access().equals(settings.access())) {
        newAccess = openAccess(configuration);
      }
      if (!wanted.audit().equals(settings.audit())) {
        newAudit = openAudit(configuration);
      }
      if (!wanted.security().equals(settings.security())) {
        newSecurity = openSecurity(configuration);
      }
      isComplete = true;
      return new Opened(newAccess, newAudit, newSecurity);
    } finally {
      if (!isComplete) {
        closeUnless(before, new Opened(newAccess, newAudit, newSecurity));
      }
    }
  }

  private static @Nullable AccessLog openAccess(NyalaConfig configuration) {
    if (configuration.logs().access().isEmpty()) {
      return null;
    }
    NyalaConfig.AccessLogging wanted = configuration.logs().access().get();
    try {
      return AccessLog.open(wanted.settings(), wanted.format(), InstantSource.system());
    } catch (IOException e) {
      throw configuration.problem("nyala.log.access.file", ErrorMessages.reason(e));
    }
  }

  private static @Nullable AuditLog openAudit(NyalaConfig configuration) {
    if (configuration.logs().audit().isEmpty()) {
      return null;
    }
    try {
      return AuditLog.open(configuration.logs().audit().get(), InstantSource.system());
    } catch (IOException e) {
      throw configuration.problem("nyala.log.audit.file", ErrorMessages.reason(e));
    }
  }

  private static @Nullable SecurityLog openSecurity(NyalaConfig configuration) {
    if (configuration.logs().security().isEmpty()) {
      return null;
    }
    SecuritySettings wanted = configuration.logs().security().get();
    try {
      return openSecurity(wanted, configuration);
    } catch (IOException e) {
      if (wanted.isRequired()) {
        throw configuration.problem("nyala.log.security.file", ErrorMessages.reason(e));
      }
      LOG.log(
          Level.WARNING,
          "no security log is kept: {0}; set log.security.file, or log.security.format = off",
          ErrorMessages.reason(e));
      return null;
    }
  }

  /** Opens the log; that of the default beside the data, if another server has the one of all. */
  private static SecurityLog openSecurity(SecuritySettings wanted, NyalaConfig configuration)
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

  /** Closes logs that others do not have. */
  private void closeUnless(Opened kept, Opened logs) {
    AccessLog oldAccess = logs.access();
    if (oldAccess != null && oldAccess != kept.access()) {
      oldAccess.close();
      droppedByAccessBefore.add(oldAccess.dropped());
    }
    AuditLog oldAudit = logs.audit();
    if (oldAudit != null && oldAudit != kept.audit()) {
      oldAudit.close();
      droppedByAuditBefore.add(oldAudit.dropped());
    }
    SecurityLog oldSecurity = logs.security();
    if (oldSecurity != null && oldSecurity != kept.security()) {
      oldSecurity.close();
      droppedBySecurityBefore.add(oldSecurity.dropped());
    }
  }

  @Override
  public void opened(Session session) {
    listener.opened(session);
  }

  @Override
  public void encrypted(Session session, String protocol, String cipher) {
    listener.encrypted(session, protocol, cipher);
  }

  @Override
  public void started(Session session, int number, Request request) {
    listener.started(session, number, request);
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    listener.completed(session, operation, answer);
    slow.completed(session, operation, answer);
    SecurityLog log = security;
    if (log != null) {
      log.completed(session, operation, answer);
    }
    if (events.areWanted()) {
      events.completed(session, operation, answer);
    }
  }

  /** Notes an event in the security log, if one is kept. */
  private void note(Consumer<SecurityLog> event) {
    SecurityLog log = security;
    if (log != null) {
      event.accept(log);
    }
  }

  @Override
  public void bindMalformed(Session session, LdapResult answer) {
    note(log -> log.bindMalformed(session, answer));
  }

  @Override
  public void accountLocked(Session session, Operation operation, Dn account) {
    note(log -> log.accountLocked(session, operation, account));
  }

  @Override
  public void passwordChanged(Session session, Operation operation, Dn account) {
    note(log -> log.passwordChanged(session, operation, account));
  }

  /** Notes that an administrator has changed the state of an account. */
  void administered(Administrator caller, String action, Dn account) {
    note(log -> log.administered(caller, action, account));
  }

  /** Notes that an administrator has acted on a copy of another server's naming context. */
  void copyAdministered(Administrator caller, String action, String suffix) {
    note(log -> log.copyAdministered(caller, action, suffix));
  }

  /** Notes that an administrator has ended all changes, or takes them up again. */
  void readOnlySwitched(Administrator caller, boolean isOn) {
    note(log -> log.readOnlySwitched(caller, isOn));
  }

  @Override
  public void closed(Session session) {
    listener.closed(session);
  }

  @Override
  public void handshakeFailed(ClientSource client, Throwable cause) {
    note(log -> log.handshakeFailed(client, cause));
  }

  @Override
  public void certificatesTaken(String purpose, Instant firstEnd) {
    note(log -> log.certificatesTaken(purpose, firstEnd));
  }

  @Override
  public void certificatesRefused(String purpose, String reason) {
    note(log -> log.certificatesRefused(purpose, reason));
  }

  @Override
  public void cameIn(String port, String user, String address) {
    note(log -> log.cameIn(port, user, address));
  }

  @Override
  public void refused(String port, String address) {
    note(log -> log.refused(port, address));
  }

  /** Notes that the configuration was read again; the lines begin with keys. */
  void reloaded(List<String> tookEffect) {
    List<String> keys = tookEffect.stream().map(line -> line.replaceFirst(" = .*", "")).toList();
    note(log -> log.reloaded(String.join(",", keys)));
  }

  /** Notes that the configuration was to be read again, and stays as it was. */
  void reloadFailed(String reason) {
    note(log -> log.reloadFailed(reason));
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    @Nullable AuditLog log = audit;
    if (log != null) {
      log.committed(changes);
    }
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

  /** Returns the table of slow requests. */
  SlowRequests slow() {
    return slow;
  }

  /** Returns the number of records that each has dropped since the server started, by its name. */
  Map<String, LongSupplier> dropped() {
    return Map.of(
        "access",
        this::droppedByAccess,
        "audit",
        this::droppedByAudit,
        "security",
        this::droppedBySecurity);
  }

  private long droppedByAccess() {
    @Nullable AccessLog log = access;
    return droppedByAccessBefore.sum() + (log == null ? 0 : log.dropped());
  }

  private long droppedByAudit() {
    @Nullable AuditLog log = audit;
    return droppedByAuditBefore.sum() + (log == null ? 0 : log.dropped());
  }

  private long droppedBySecurity() {
    @Nullable SecurityLog log = security;
    return droppedBySecurityBefore.sum() + (log == null ? 0 : log.dropped());
  }

  @Override
  public synchronized void close() {
    Opened last = new Opened(access, audit, security);
    access = null;
    audit = null;
    security = null;
    listener = SessionListener.NONE;
    closeUnless(new Opened(null, null, null), last);
  }
}

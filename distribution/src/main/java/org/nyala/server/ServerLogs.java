package org.nyala.server;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.config.NyalaConfig;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.Request;
import org.nyala.core.session.Operation;
import org.nyala.core.session.Session;
import org.nyala.core.session.SessionListener;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommittedChange;
import org.nyala.error.ConfigurationException;
import org.nyala.error.ErrorMessages;
import org.nyala.log.AccessLog;
import org.nyala.log.AuditLog;
import org.nyala.log.OperationEvents;

/**
 * The configured logs, which can be replaced while the server runs. Also passes operations to
 * flight recordings.
 *
 * <p>Thread-safe. Closing them writes the queued records.
 */
final class ServerLogs implements SessionListener, ChangeListener, AutoCloseable {
  private final LongAdder droppedByAccessBefore = new LongAdder();
  private final LongAdder droppedByAuditBefore = new LongAdder();
  private NyalaConfig.Logs settings;
  private volatile @Nullable AccessLog access;
  private volatile @Nullable AuditLog audit;

  /** The listener of client activity: the access log, or none. */
  private volatile SessionListener listener = SessionListener.NONE;

  private final OperationEvents events = new OperationEvents();

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
    boolean isOtherAccess = !wanted.access().equals(settings.access());
    boolean isOtherAudit = !wanted.audit().equals(settings.audit());
    @Nullable AccessLog oldAccess = access;
    @Nullable AuditLog oldAudit = audit;
    @Nullable AccessLog newAccess = isOtherAccess ? openAccess(configuration) : oldAccess;
    boolean isComplete = false;
    try {
      audit = isOtherAudit ? openAudit(configuration) : oldAudit;
      isComplete = true;
    } finally {
      if (!isComplete && isOtherAccess) {
        close(newAccess, new LongAdder());
      }
    }
    access = newAccess;
    listener = newAccess == null ? SessionListener.NONE : newAccess;
    settings = wanted;
    if (isOtherAccess) {
      close(oldAccess, droppedByAccessBefore);
    }
    if (isOtherAudit) {
      close(oldAudit, droppedByAuditBefore);
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
      throw configuration.settings().problem("nyala.log.access.file", ErrorMessages.reason(e));
    }
  }

  private static @Nullable AuditLog openAudit(NyalaConfig configuration) {
    if (configuration.logs().audit().isEmpty()) {
      return null;
    }
    try {
      return AuditLog.open(configuration.logs().audit().get(), InstantSource.system());
    } catch (IOException e) {
      throw configuration.settings().problem("nyala.log.audit.file", ErrorMessages.reason(e));
    }
  }

  private static void close(@Nullable AccessLog log, LongAdder dropped) {
    if (log != null) {
      log.close();
      dropped.add(log.dropped());
    }
  }

  private static void close(@Nullable AuditLog log, LongAdder dropped) {
    if (log != null) {
      log.close();
      dropped.add(log.dropped());
    }
  }

  @Override
  public void opened(Session session) {
    listener.opened(session);
  }

  @Override
  public void started(Session session, int number, Request request) {
    listener.started(session, number, request);
  }

  @Override
  public void completed(Session session, Operation operation, @Nullable LdapResult answer) {
    listener.completed(session, operation, answer);
    if (events.areWanted()) {
      events.completed(session, operation, answer);
    }
  }

  @Override
  public void closed(Session session) {
    listener.closed(session);
  }

  @Override
  public void committed(List<CommittedChange> changes) {
    @Nullable AuditLog log = audit;
    if (log != null) {
      log.committed(changes);
    }
  }

  /** Returns the number of records that each has dropped since the server started, by its name. */
  Map<String, LongSupplier> dropped() {
    return Map.of("access", this::droppedByAccess, "audit", this::droppedByAudit);
  }

  private long droppedByAccess() {
    @Nullable AccessLog log = access;
    return droppedByAccessBefore.sum() + (log == null ? 0 : log.dropped());
  }

  private long droppedByAudit() {
    @Nullable AuditLog log = audit;
    return droppedByAuditBefore.sum() + (log == null ? 0 : log.dropped());
  }

  @Override
  public synchronized void close() {
    close(access, droppedByAccessBefore);
    close(audit, droppedByAuditBefore);
    access = null;
    audit = null;
    listener = SessionListener.NONE;
  }
}

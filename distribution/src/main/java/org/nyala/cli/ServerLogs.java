package org.nyala.cli;

import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.nyala.core.session.SessionListener;
import org.nyala.core.update.ChangeListener;
import org.nyala.log.AccessLog;
import org.nyala.log.AuditLog;

/** The logs that the configuration asks for. Thread-safe. Closing them writes what waits. */
final class ServerLogs implements AutoCloseable {
  private final @Nullable AccessLog access;
  private final @Nullable AuditLog audit;

  private ServerLogs(@Nullable AccessLog access, @Nullable AuditLog audit) {
    this.access = access;
    this.audit = audit;
  }

  /**
   * Opens their files.
   *
   * @throws ConfigurationException when one cannot be written
   */
  static ServerLogs open(NyalaConfig configuration) {
    NyalaConfig.Logs logs = configuration.logs();
    @Nullable AccessLog access = null;
    if (logs.access().isPresent()) {
      try {
        NyalaConfig.AccessLogging wanted = logs.access().get();
        access = AccessLog.open(wanted.settings(), wanted.format(), InstantSource.system());
      } catch (IOException e) {
        throw configuration.settings().problem("nyala.log.access.file", Failures.reason(e));
      }
    }
    boolean complete = false;
    try {
      @Nullable AuditLog audit = null;
      if (logs.audit().isPresent()) {
        audit = AuditLog.open(logs.audit().get(), InstantSource.system());
      }
      complete = true;
      return new ServerLogs(access, audit);
    } catch (IOException e) {
      throw configuration.settings().problem("nyala.log.audit.file", Failures.reason(e));
    } finally {
      if (!complete && access != null) {
        access.close();
      }
    }
  }

  /** Who is told what clients do. */
  SessionListener listener() {
    return access == null ? SessionListener.NONE : access;
  }

  /** Who is told of changes. */
  List<ChangeListener> changeListeners() {
    List<ChangeListener> listeners = new ArrayList<>(1);
    Optional.ofNullable(audit).ifPresent(listeners::add);
    return listeners;
  }

  /** How much each has dropped, by its name. */
  Map<String, LongSupplier> dropped() {
    Map<String, LongSupplier> dropped = new LinkedHashMap<>();
    AccessLog accesses = access;
    if (accesses != null) {
      dropped.put("access", accesses::dropped);
    }
    AuditLog changes = audit;
    if (changes != null) {
      dropped.put("audit", changes::dropped);
    }
    return dropped;
  }

  @Override
  public void close() {
    if (access != null) {
      access.close();
    }
    if (audit != null) {
      audit.close();
    }
  }
}

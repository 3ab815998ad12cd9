package org.nyala.server;

import java.util.Collection;
import java.util.List;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.replica.ContextHandover;

/**
 * The switch by which an administrator ends the changes of a running server, and takes them up
 * again.
 *
 * <p>Thread-safe. Blocks: for threads of management.
 */
final class ReadOnlySwitch {
  private final boolean isConfigured;
  private final List<ContextHandover> contexts;
  private final ServerLogs logs;
  private volatile boolean isOn;

  /**
   * Creates the switch.
   *
   * @param isConfigured true if the configuration has {@code readOnly}: it cannot be switched off
   *     then
   * @param contexts all naming contexts
   */
  ReadOnlySwitch(boolean isConfigured, Collection<ContextHandover> contexts, ServerLogs logs) {
    this.isConfigured = isConfigured;
    this.contexts = List.copyOf(contexts);
    this.logs = logs;
    this.isOn = isConfigured;
  }

  /** Returns whether every change is refused. */
  boolean isOn() {
    return isOn;
  }

  /**
   * Switches; returns once all earlier changes are on disk.
   *
   * @param by the user for whom it is done, for the security log
   * @return whether it was on
   * @throws IllegalStateException if the configuration has {@code readOnly}, or the writer has
   *     stopped
   */
  synchronized boolean set(boolean isWanted, String by) {
    boolean wasOn = isOn;
    if (isWanted == wasOn) {
      return wasOn;
    }
    if (isConfigured) {
      throw new IllegalStateException(
          "readOnly is true in the configuration with which the server has started: change it and"
              + " restart");
    }
    if (isWanted) {
      freeze();
    } else {
      contexts.forEach(ContextHandover::thaw);
    }
    isOn = isWanted;
    logs.readOnlySwitched(AccountService.caller(by), isWanted);
    return wasOn;
  }

  private void freeze() {
    boolean isDone = false;
    try {
      for (ContextHandover each : contexts) {
        each.freeze();
      }
      isDone = true;
    } catch (LdapOperationException e) {
      throw new IllegalStateException(e.getMessage(), e);
    } finally {
      if (!isDone) {
        contexts.forEach(ContextHandover::thaw);
      }
    }
  }
}

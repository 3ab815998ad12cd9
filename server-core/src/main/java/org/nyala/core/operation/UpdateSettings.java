package org.nyala.core.operation;

import java.time.InstantSource;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.ChangeRule;

/**
 * How a directory changes.
 *
 * <p>Immutable; the parts are thread-safe.
 *
 * @param readOnly whether it does not change at all
 * @param serverId the server's number in change sequence numbers, 0 to 4095
 * @param clock the time of day
 * @param uuids names entries that never change their name; another one at each call
 * @param threads makes the writers' threads
 * @param rules what every change is checked by
 * @param listeners are told of commits
 */
public record UpdateSettings(
    boolean readOnly,
    int serverId,
    InstantSource clock,
    Supplier<UUID> uuids,
    ThreadFactory threads,
    List<ChangeRule> rules,
    List<ChangeListener> listeners) {
  /** For a directory that does not change. */
  public static final UpdateSettings READ_ONLY =
      new UpdateSettings(
          true,
          0,
          InstantSource.system(),
          UUID::randomUUID,
          Thread.ofPlatform().daemon().factory(),
          List.of(),
          List.of());

  /** Copies the lists. */
  public UpdateSettings {
    rules = List.copyOf(rules);
    listeners = List.copyOf(listeners);
  }

  /** For a directory that changes, without rules and listeners. */
  public static UpdateSettings of(int serverId, ThreadFactory threads) {
    return new UpdateSettings(
        false, serverId, InstantSource.system(), UUID::randomUUID, threads, List.of(), List.of());
  }
}

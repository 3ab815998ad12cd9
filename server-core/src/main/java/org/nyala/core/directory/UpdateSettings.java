package org.nyala.core.directory;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.nyala.core.contention.Contention;
import org.nyala.core.integrity.Integrity;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.schema.Schema;
import org.nyala.core.update.ChangeListener;
import org.nyala.core.update.CommitPacer;

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
 * @param integrity what is kept true of entries together, by a schema; throws
 *     IllegalArgumentException where the schema lacks what it needs
 * @param listeners are told of commits
 * @param passwordScheme how new passwords are stored
 * @param hashBounds how much work stored passwords may ask for
 * @param random where salts and generated passwords come from; not predictable
 * @param dynamic how long dynamic entries live; nothing where there are none
 * @param pace says how long writers rest between commits
 * @param contention makes the sites of the writers' queues
 */
public record UpdateSettings(
    boolean readOnly,
    int serverId,
    InstantSource clock,
    Supplier<UUID> uuids,
    ThreadFactory threads,
    Function<Schema, Integrity> integrity,
    List<ChangeListener> listeners,
    PasswordScheme passwordScheme,
    HashBounds hashBounds,
    RandomGenerator random,
    Optional<DynamicSettings> dynamic,
    CommitPacer.Source pace,
    Contention contention) {
  /** How new passwords are stored where nothing else is said. */
  public static final PasswordScheme DEFAULT_SCHEME = PasswordScheme.SSHA512;

  /** For a directory that does not change. */
  public static final UpdateSettings READ_ONLY =
      new UpdateSettings(
          true,
          0,
          InstantSource.system(),
          UUID::randomUUID,
          Thread.ofPlatform().daemon().factory(),
          _ -> Integrity.NONE,
          List.of());

  /** Copies the list. */
  public UpdateSettings {
    listeners = List.copyOf(listeners);
  }

  /** With the default for new passwords. */
  public UpdateSettings(
      boolean readOnly,
      int serverId,
      InstantSource clock,
      Supplier<UUID> uuids,
      ThreadFactory threads,
      Function<Schema, Integrity> integrity,
      List<ChangeListener> listeners) {
    this(
        readOnly,
        serverId,
        clock,
        uuids,
        threads,
        integrity,
        listeners,
        DEFAULT_SCHEME,
        HashBounds.DEFAULT,
        new SecureRandom(),
        Optional.empty(),
        CommitPacer.Source.UNPACED,
        Contention.UNMEASURED);
  }

  /** The same with dynamic entries. */
  public UpdateSettings withDynamic(DynamicSettings settings) {
    return new UpdateSettings(
        readOnly,
        serverId,
        clock,
        uuids,
        threads,
        integrity,
        listeners,
        passwordScheme,
        hashBounds,
        random,
        Optional.of(settings),
        pace,
        contention);
  }

  /** How long dynamic entries live; nothing where the directory does not change either. */
  Optional<DynamicSettings> changingDynamic() {
    return readOnly ? Optional.empty() : dynamic;
  }

  /** For a directory that changes, without rules and listeners. */
  public static UpdateSettings of(int serverId, ThreadFactory threads) {
    return new UpdateSettings(
        false,
        serverId,
        InstantSource.system(),
        UUID::randomUUID,
        threads,
        _ -> Integrity.NONE,
        List.of());
  }
}

package org.nyala.core.directory;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.nyala.core.contention.Contention;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.RememberedPasswords;
import org.nyala.core.update.CommitPacer;
import org.nyala.core.update.ConsumedContexts;

/**
 * The settings for changes to a directory.
 *
 * <p>Immutable; the parts are thread-safe.
 *
 * @param readOnly true if it does not change at all
 * @param serverId the server's number in change sequence numbers, 0 to 4095
 * @param clock the time of day
 * @param uuids the source of {@code entryUUID} values; another one at each call
 * @param threads the factory of the writers' threads; if it returns none, those who wait for the
 *     writers do their work
 * @param passwordScheme the scheme by which new passwords are stored
 * @param hashBounds the bounds of the work that stored passwords may require
 * @param hashesClearText true if passwords in clear text are hashed before they are stored
 * @param upgradesAtBind true if a password weaker than new ones is stored anew after a bind
 * @param remembered the bounds of passwords that are remembered after a login
 * @param random the source of salts and generated passwords; not predictable
 * @param pace the pauses of writers between commits
 * @param contention the factory of the sites of the writers' queues
 * @param consumed the naming contexts that another server changes
 */
public record UpdateSettings(
    boolean readOnly,
    int serverId,
    InstantSource clock,
    Supplier<UUID> uuids,
    ThreadFactory threads,
    PasswordScheme passwordScheme,
    HashBounds hashBounds,
    boolean hashesClearText,
    boolean upgradesAtBind,
    RememberedPasswords.Settings remembered,
    RandomGenerator random,
    CommitPacer.Source pace,
    Contention contention,
    ConsumedContexts consumed) {
  /** The scheme by which new passwords are stored by default. */
  public static final PasswordScheme DEFAULT_SCHEME = PasswordScheme.ARGON2;

  /** The settings of a read-only directory. */
  public static final UpdateSettings READ_ONLY =
      new UpdateSettings(
          true,
          0,
          InstantSource.system(),
          UUID::randomUUID,
          Thread.ofPlatform().daemon().factory());

  /** With the default for new passwords. */
  public UpdateSettings(
      boolean readOnly,
      int serverId,
      InstantSource clock,
      Supplier<UUID> uuids,
      ThreadFactory threads) {
    this(
        readOnly,
        serverId,
        clock,
        uuids,
        threads,
        DEFAULT_SCHEME,
        HashBounds.DEFAULT,
        true,
        true,
        RememberedPasswords.Settings.DEFAULT,
        new SecureRandom(),
        CommitPacer.Source.UNPACED,
        Contention.UNMEASURED,
        new ConsumedContexts());
  }

  /** Returns settings for a directory that changes. */
  public static UpdateSettings of(int serverId, ThreadFactory threads) {
    return new UpdateSettings(false, serverId, InstantSource.system(), UUID::randomUUID, threads);
  }
}

package org.nyala.core.password;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.nyala.core.limits.Key;
import org.nyala.core.limits.Keys;

/**
 * The passwords that have matched slow hashes lately, each as a keyed digest, so that the next
 * login with the same password computes no slow hash.
 *
 * <p>A digest is HMAC-SHA-256 under a key of the process, of the entry, its name, the stored value
 * and the password. So it stops to match once any of them changes, whoever changes it: nothing has
 * to be told. A password that is not remembered is none that is wrong: the stored hash decides. An
 * entry has one digest, which goes after a time without a login, and at the latest an hour after
 * the stored hash was computed. Secrets are renewed, and are never written anywhere.
 *
 * <p>One who reads the memory of the process can try passwords at the cost of a digest against the
 * accounts that are remembered.
 *
 * <p>Thread-safe.
 */
public final class RememberedPasswords {
  /** The time after which the stored hash is computed again, and keys are renewed. */
  static final int LONGEST_SECONDS = 3600;

  private static final String ALGORITHM = "HmacSHA256";
  private static final int KEY_LENGTH = 32;
  private static final int STRIPES = 16;

  private final Settings settings;
  private final LongSupplier nanoClock;
  private final RandomGenerator random;
  private final Executor later;
  private final AtomicBoolean isSweepDue = new AtomicBoolean();
  private final Stripe[] stripes = new Stripe[STRIPES];
  private volatile Secrets secrets;

  /**
   * The bounds. Immutable.
   *
   * @param seconds the time without a login after which a password is forgotten; 0 if none is
   *     remembered
   * @param logins the number of entries, each of which takes some 250 bytes
   */
  public record Settings(
      @Key(name = "rememberSeconds", usual = 600, to = LONGEST_SECONDS) int seconds,
      @Key(name = "rememberedLogins", usual = 100_000, from = 1, to = 10_000_000) int logins) {
    public static final Settings DEFAULT = Keys.defaults(Settings.class);
  }

  /**
   * An entry that logs in. Immutable.
   *
   * @param store the store that holds it, which is the same object at each login
   * @param entryId its id
   * @param name its normalised name
   */
  public record Account(Object store, long entryId, byte[] name) {}

  /** The place of an entry. */
  private record Place(Object store, long entryId) {}

  /** A digest, with the times of its making and of its last use. */
  private static final class Remembered {
    private final byte[] digest;
    private final long madeNanos;
    private long usedNanos;

    Remembered(byte[] digest, long nowNanos) {
      this.digest = digest;
      this.madeNanos = nowNanos;
      this.usedNanos = nowNanos;
    }
  }

  /** The key for new digests, and the one before. Immutable. */
  private record Secrets(Mac now, @Nullable Mac before, long sinceNanos) {}

  /** A part of the entries, in the order of their last use. Thread-safe. */
  private final class Stripe {
    private final LinkedHashMap<Place, Remembered> entries = new LinkedHashMap<>(16, 0.75f, true);

    synchronized byte @Nullable [] digest(Place place) {
      forget();
      Remembered known = entries.get(place);
      return known == null || isOver(known) ? null : known.digest;
    }

    /** Takes note of a login, whose digest may have gone meanwhile. */
    synchronized void used(Place place, byte[] digest) {
      Remembered known = entries.get(place);
      if (known != null && known.digest == digest) {
        known.usedNanos = nanoClock.getAsLong();
      }
    }

    synchronized void put(Place place, byte[] digest) {
      forget();
      // Removed first, so that it comes last.
      entries.remove(place);
      entries.put(place, new Remembered(digest, nanoClock.getAsLong()));
      if (entries.size() > Math.max(1, settings.logins() / STRIPES)) {
        entries.pollFirstEntry();
      }
    }

    synchronized int size() {
      forget();
      entries.values().removeIf(RememberedPasswords.this::isOver);
      return entries.size();
    }

    /** Drops those that nobody has used for too long, which come first. */
    private void forget() {
      Map.Entry<Place, Remembered> eldest = entries.firstEntry();
      while (eldest != null && isOver(eldest.getValue())) {
        entries.pollFirstEntry();
        eldest = entries.firstEntry();
      }
    }
  }

  /**
   * Creates a table without entries.
   *
   * @param random the source of the keys; not predictable
   * @param nanoClock the server's clock, in nanoseconds
   * @param later runs tasks after the time without a login: they drop what nobody asks for again
   */
  public RememberedPasswords(
      Settings settings, RandomGenerator random, LongSupplier nanoClock, Executor later) {
    this.later = later;
    this.settings = settings;
    this.random = random;
    this.nanoClock = nanoClock;
    for (int i = 0; i < STRIPES; i++) {
      stripes[i] = new Stripe();
    }
    this.secrets = new Secrets(newKey(), null, nanoClock.getAsLong());
  }

  private Mac newKey() {
    byte[] key = new byte[KEY_LENGTH];
    random.nextBytes(key);
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(key, ALGORITHM));
      return mac;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
    }
  }

  /** Returns whether passwords are remembered at all. */
  public boolean isOn() {
    return settings.seconds() > 0;
  }

  private boolean isOver(Remembered known) {
    long now = nanoClock.getAsLong();
    return now - known.usedNanos >= TimeUnit.SECONDS.toNanos(settings.seconds())
        || now - known.madeNanos >= TimeUnit.SECONDS.toNanos(LONGEST_SECONDS);
  }

  /**
   * Returns whether a password has matched a stored value lately. Takes as long for an entry that
   * is not remembered, and for a wrong password.
   *
   * @param permit the permission of the gate that counts the attempt
   * @param stored the value as it is stored now
   */
  public boolean isRemembered(
      VerificationPermit permit, Account account, byte[] stored, byte[] sent) {
    permit.requireAdmitted();
    Place place = new Place(account.store(), account.entryId());
    Stripe stripe = stripe(account);
    byte[] known = stripe.digest(place);
    Secrets valid = valid();
    boolean isOfNow = isSame(known, digest(valid.now(), account, stored, sent));
    Mac before = valid.before();
    boolean isOfBefore = before != null && isSame(known, digest(before, account, stored, sent));
    boolean isRight = isOfNow || isOfBefore;
    if (isRight && known != null) {
      stripe.used(place, known);
    }
    return isRight;
  }

  /**
   * Remembers a password that has matched a stored value, whose slow hash was computed.
   *
   * @param permit the permission of the gate that has counted the attempt
   */
  public void remember(VerificationPermit permit, Account account, byte[] stored, byte[] sent) {
    permit.requireAdmitted();
    if (isOn()) {
      stripe(account)
          .put(
              new Place(account.store(), account.entryId()),
              digest(valid().now(), account, stored, sent));
      sweepLater();
    }
  }

  /** Has what is over dropped after its time, even if nobody logs in again; one task at a time. */
  private void sweepLater() {
    if (isSweepDue.compareAndSet(false, true)) {
      later.execute(
          () -> {
            isSweepDue.set(false);
            if (size() > 0) {
              sweepLater();
            }
          });
    }
  }

  /** Returns the number of entries that are remembered, and drops those whose time is over. */
  public int size() {
    int size = 0;
    for (Stripe each : stripes) {
      size += each.size();
    }
    return size;
  }

  private Stripe stripe(Account account) {
    return stripes[Long.hashCode(account.entryId()) & STRIPES - 1];
  }

  /** Compares with a digest that may be missing, in the same time. */
  private static boolean isSame(byte @Nullable [] known, byte[] computed) {
    return MessageDigest.isEqual(known == null ? new byte[computed.length] : known, computed)
        && known != null;
  }

  /** Returns the keys, renewed each hour: no digest is older than the key before. */
  private Secrets valid() {
    Secrets valid = secrets;
    if (nanoClock.getAsLong() - valid.sinceNanos() < TimeUnit.SECONDS.toNanos(LONGEST_SECONDS)) {
      return valid;
    }
    synchronized (this) {
      if (secrets == valid) {
        secrets = new Secrets(newKey(), valid.now(), nanoClock.getAsLong());
      }
      return secrets;
    }
  }

  private static byte[] digest(Mac key, Account account, byte[] stored, byte[] sent) {
    Mac mac;
    try {
      mac = (Mac) key.clone();
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the platform's HMAC can be cloned", e);
    }
    ByteBuffer lengths = ByteBuffer.allocate(Long.BYTES + 2 * Integer.BYTES);
    lengths.putLong(account.entryId()).putInt(account.name().length).putInt(stored.length);
    mac.update(lengths.array());
    mac.update(account.name());
    mac.update(stored);
    return mac.doFinal(sent);
  }

  /** Shows how many there are, and nothing of them. */
  @Override
  public String toString() {
    return "RememberedPasswords[" + size() + ']';
  }
}

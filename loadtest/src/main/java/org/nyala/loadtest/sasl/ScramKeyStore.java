package org.nyala.loadtest.sasl;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The keys of the users of a test, each derived once, on threads of their own: a server that is
 * measured would wait for its client otherwise, which takes some milliseconds of a processor for
 * each derivation.
 *
 * <p>Thread-safe.
 */
public final class ScramKeyStore implements AutoCloseable {
  /**
   * The greatest number of users: some 40 MB of keys, and minutes of a processor to derive them.
   */
  public static final int MOST_USERS = 100_000;

  /** The keys of one user with one salt. */
  private record Wanted(int user, String salt, int iterations) {}

  private final Mechanism mechanism;
  private final IntFunction<String> passwords;
  private final AtomicReferenceArray<@Nullable ScramKeys> known;
  private final Map<Wanted, CompletableFuture<ScramKeys>> begun = new ConcurrentHashMap<>();
  private final AtomicInteger taken = new AtomicInteger();
  private final ExecutorService threads;

  /**
   * Begins without keys.
   *
   * @param users the number of users, 1 to {@link #MOST_USERS}; their own numbers are from 0 up
   * @param passwords the password of each
   */
  public ScramKeyStore(Mechanism mechanism, int users, IntFunction<String> passwords) {
    this.mechanism = mechanism;
    this.passwords = passwords;
    this.known = new AtomicReferenceArray<>(users);
    this.threads =
        Executors.newFixedThreadPool(
            Runtime.getRuntime().availableProcessors(),
            Thread.ofPlatform().daemon().name("load-keys-", 0).factory());
  }

  /** The keys of a user if they are those that a challenge asks for; null if not known. */
  public @Nullable ScramKeys find(int user, ScramExchange challenged) {
    ScramKeys keys = known.get(user);
    return keys != null && keys.areOf(challenged.salt(), challenged.iterations()) ? keys : null;
  }

  /**
   * Derives the keys that a challenge asks for, once for all that ask at the same time. The result
   * fails if the password or the salt is none.
   */
  public CompletableFuture<ScramKeys> derive(int user, ScramExchange challenged) {
    Wanted wanted = new Wanted(user, challenged.salt(), challenged.iterations());
    CompletableFuture<ScramKeys> keys =
        begun.computeIfAbsent(
            wanted, _ -> CompletableFuture.supplyAsync(() -> derived(wanted), threads));
    CompletableFuture<ScramKeys> _ = keys.whenComplete((_, _) -> begun.remove(wanted, keys));
    return keys;
  }

  private ScramKeys derived(Wanted wanted) {
    ScramKeys keys =
        ScramKeys.derive(
            mechanism, passwords.apply(wanted.user()), wanted.salt(), wanted.iterations());
    known.set(wanted.user(), keys);
    return keys;
  }

  /** The next user that was not taken yet, so that each is derived before a test; -1 if none is. */
  public int take() {
    int user = taken.get() < known.length() ? taken.getAndIncrement() : known.length();
    return user < known.length() ? user : -1;
  }

  /** Ends the threads; derivations under way are given up. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}

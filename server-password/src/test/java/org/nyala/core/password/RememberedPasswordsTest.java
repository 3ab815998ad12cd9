package org.nyala.core.password;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.nyala.core.Seeds;
import org.nyala.core.password.RememberedPasswords.Account;
import org.nyala.core.password.RememberedPasswords.Settings;

/** Tests which passwords are remembered, and for how long. */
class RememberedPasswordsTest {
  private static final long SEED = Seeds.seed();
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Object STORE = new Object();

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 7 * SECOND);
  private final Deque<Runnable> later = new ArrayDeque<>();
  private final RememberedPasswords passwords =
      new RememberedPasswords(new Settings(600, 1600), new Random(SEED), nanos::get, later::add);

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static Account account(long id, String name) {
    return new Account(STORE, id, bytes(name));
  }

  private boolean isRemembered(long id, String name, String stored, String sent) {
    return passwords.isRemembered(TestPermit.ANY, account(id, name), bytes(stored), bytes(sent));
  }

  private void remember(long id, String name, String stored, String sent) {
    passwords.remember(TestPermit.ANY, account(id, name), bytes(stored), bytes(sent));
  }

  private void pass(long seconds) {
    nanos.addAndGet(seconds * SECOND);
  }

  @Test
  void shouldRememberNothingElse() {
    remember(7, "uid=ann", "{X}hash", "secret");
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "secret")).isTrue();
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "Secret")).isFalse();
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "")).isFalse();
    assertThat(isRemembered(7, "uid=ann", "{X}hashs", "ecret")).isFalse();
    assertThat(isRemembered(7, "uid=ann{", "X}hash", "secret")).isFalse();
    assertThat(isRemembered(7, "uid=ann", "{X}other", "secret")).isFalse();
    assertThat(isRemembered(7, "uid=bob", "{X}hash", "secret")).isFalse();
    assertThat(isRemembered(8, "uid=ann", "{X}hash", "secret")).isFalse();
    Account elsewhere = new Account(new Object(), 7, bytes("uid=ann"));
    assertThat(passwords.isRemembered(TestPermit.ANY, elsewhere, bytes("{X}hash"), bytes("secret")))
        .isFalse();
    assertThat(passwords.toString()).isEqualTo("RememberedPasswords[1]");
  }

  @Test
  void shouldHaveOneForEachEntry() {
    remember(7, "uid=ann", "{X}one", "first");
    remember(7, "uid=ann", "{X}two", "second");
    assertThat(isRemembered(7, "uid=ann", "{X}two", "second")).isTrue();
    assertThat(isRemembered(7, "uid=ann", "{X}one", "first")).isFalse();
  }

  @Test
  void shouldForgetAfterItsTimeWithoutALogin() {
    remember(7, "uid=ann", "{X}hash", "secret");
    pass(599);
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "secret")).isTrue();
    // A wrong one is no use of it.
    pass(300);
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "wrong")).isFalse();
    pass(300);
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "secret")).isFalse();
    assertThat(passwords.size()).isZero();
  }

  @Test
  void shouldForgetAfterAnHourAtTheLatest() {
    remember(7, "uid=ann", "{X}hash", "secret");
    for (int i = 0; i < 8; i++) {
      pass(449);
      assertThat(isRemembered(7, "uid=ann", "{X}hash", "secret")).as("%s", i).isTrue();
    }
    pass(8);
    assertThat(isRemembered(7, "uid=ann", "{X}hash", "secret")).isFalse();
    assertThat(passwords.size()).isZero();
  }

  /** The memory returns to nothing though nobody logs in again. */
  @Test
  void shouldDropEverythingWithoutALogin() {
    for (int id = 1; id <= 1000; id++) {
      remember(id, "uid=" + id, "{X}hash", "secret");
    }
    assertThat(later).as("one task for all of them").hasSize(1);
    WeakReference<Object> store = new WeakReference<>(new Object());
    passwords.remember(
        TestPermit.ANY,
        new Account(Objects.requireNonNull(store.get()), 1001, bytes("uid=x")),
        bytes("{X}hash"),
        bytes("secret"));
    pass(599);
    later.remove().run();
    assertThat(later).as("another look at what is left").hasSize(1);
    assertThat(store.get()).isNotNull();
    pass(1);
    later.remove().run();
    assertThat(later).isEmpty();
    await(() -> store.get() == null);
    remember(7, "uid=ann", "{X}hash", "secret");
    assertThat(later).hasSize(1);
  }

  /** Collects garbage until a condition holds. */
  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + 10 * SECOND;
    while (!condition.getAsBoolean() && System.nanoTime() < end) {
      System.gc();
    }
    assertThat(condition.getAsBoolean()).isTrue();
  }

  @Test
  void shouldForgetTheLeastRecentOnesFirst() {
    for (int id = 0; id < 10_000; id++) {
      remember(id, "uid=" + id, "{X}hash", "secret");
      assertThat(isRemembered(5, "uid=5", "{X}hash", "secret")).isEqualTo(id >= 5);
    }
    assertThat(passwords.size()).isEqualTo(1600);
    assertThat(isRemembered(9_999, "uid=9999", "{X}hash", "secret")).isTrue();
    assertThat(isRemembered(6, "uid=6", "{X}hash", "secret")).isFalse();
  }

  @Test
  void shouldRememberNothingIfItIsOff() {
    RememberedPasswords off =
        new RememberedPasswords(new Settings(0, 1600), new Random(SEED), nanos::get, later::add);
    off.remember(TestPermit.ANY, account(7, "uid=ann"), bytes("{X}hash"), bytes("secret"));
    assertThat(off.isOn()).isFalse();
    assertThat(off.size()).isZero();
  }

  /** The login of an entry that is to be remembered. */
  private record Known(String name, String stored, String sent, long madeNanos, long usedNanos) {
    boolean isOver(long now) {
      return now - usedNanos >= 600 * SECOND || now - madeNanos >= 3600 * SECOND;
    }
  }

  @Test
  void shouldAgreeWithAMapOfTheSame() {
    Random random = new Random(SEED);
    Map<Long, Known> model = new HashMap<>();
    List<String> words = List.of("", "a", "b", "ab", "abc");
    int hits = 0;
    for (int i = 0; i < 200_000; i++) {
      long id = random.nextInt(40);
      String name = words.get(random.nextInt(words.size()));
      String stored = words.get(random.nextInt(words.size()));
      String sent = words.get(random.nextInt(words.size()));
      Known known = model.get(id);
      if (known != null && random.nextBoolean()) {
        name = known.name();
        stored = random.nextInt(4) == 0 ? stored : known.stored();
        sent = random.nextInt(4) == 0 ? sent : known.sent();
      }
      nanos.addAndGet(random.nextInt(20) * SECOND);
      if (random.nextInt(10) == 0) {
        remember(id, name, stored, sent);
        model.put(id, new Known(name, stored, sent, nanos.get(), nanos.get()));
        continue;
      }
      boolean isKnown =
          known != null
              && !known.isOver(nanos.get())
              && known.name().equals(name)
              && known.stored().equals(stored)
              && known.sent().equals(sent);
      assertThat(isRemembered(id, name, stored, sent))
          .as("seed %s, step %s", SEED, i)
          .isEqualTo(isKnown);
      if (isKnown) {
        hits++;
        model.put(id, new Known(name, stored, sent, known.madeNanos(), nanos.get()));
      }
    }
    assertThat(hits).isGreaterThan(1000);
  }
}

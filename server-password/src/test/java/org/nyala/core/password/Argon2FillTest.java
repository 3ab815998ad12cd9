package org.nyala.core.password;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicInteger;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.junit.jupiter.api.Test;

/** Tests the computation of Argon2, and the memory that it is lent. */
class Argon2FillTest {
  private static final byte[] PASSWORD = "geheim".getBytes(US_ASCII);
  private static final byte[] SALT = "saltsaltsaltsalt".getBytes(US_ASCII);
  private static final int ROUNDS = 400;

  private static byte[] hash(
      Argon2Fill.Settings settings, byte[] password, byte[] salt, int length) {
    long[] memory = new long[settings.longs()];
    // Leftovers of another hash.
    Arrays.fill(memory, -1);
    return new Argon2Fill(settings, memory, () -> false).hash(password, salt, length);
  }

  /** The same by another implementation. */
  private static byte[] byOther(
      Argon2Fill.Settings settings, byte[] password, byte[] salt, int length) {
    Argon2BytesGenerator generator = new Argon2BytesGenerator();
    generator.init(
        new Argon2Parameters.Builder(settings.type())
            .withVersion(settings.version())
            .withMemoryAsKB(settings.kibibytes())
            .withIterations(settings.passes())
            .withParallelism(settings.lanes())
            .withSalt(salt)
            .build());
    byte[] hash = new byte[length];
    int _ = generator.generateBytes(password, hash);
    return hash;
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  @Test
  void shouldComputeWhatAnotherImplementationDoes() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < ROUNDS; i++) {
      int lanes = 1 + random.nextInt(4);
      Argon2Fill.Settings settings =
          new Argon2Fill.Settings(
              random.nextInt(3),
              random.nextBoolean() ? 16 : 19,
              8 * lanes + random.nextInt(i % 20 == 0 ? 3000 : 200),
              1 + random.nextInt(3),
              lanes);
      byte[] password = bytes(random, random.nextInt(40));
      byte[] salt = bytes(random, 8 + random.nextInt(20));
      int length = 8 + random.nextInt(121);
      assertThat(hash(settings, password, salt, length))
          .as("seed %d, %s, %d bytes", seed, settings, length)
          .isEqualTo(byOther(settings, password, salt, length));
    }
  }

  @Test
  void shouldEndOnceNobodyWaits() {
    AtomicInteger looks = new AtomicInteger();
    Argon2Fill.Settings settings = new Argon2Fill.Settings(Argon2Fill.ID, 19, 64, 1000, 1);
    long[] memory = new long[settings.longs()];
    Argon2Fill filling = new Argon2Fill(settings, memory, () -> looks.incrementAndGet() > 3);
    assertThatThrownBy(() -> filling.hash(PASSWORD, SALT, 32))
        .isInstanceOf(CancellationException.class);
    assertThat(looks).hasValue(4);
  }

  @Test
  void shouldLendMemoryAgainAsZeros() {
    int length = 4711 * HashMemory.LONGS;
    long[] first;
    try (HashMemory.Loan loan = HashMemory.borrow(4711, length)) {
      first = loan.longs();
      assertThat(first).hasSize(length);
      first[17] = 1;
    }
    assertThat(first[17]).isZero();
    try (HashMemory.Loan loan = HashMemory.borrow(4711, length);
        HashMemory.Loan other = HashMemory.borrow(4711, length)) {
      assertThat(loan.longs()).isSameAs(first);
      assertThat(other.longs()).isNotSameAs(first);
    }
  }

  /** Spares and memory in use are together no more than hashes may take. */
  @Test
  void shouldKeepNoMoreThanIsFree() {
    HashMemory.borrow(4711, 4711 * HashMemory.LONGS).close();
    assertThat(HashMemory.spareKibibytes()).isGreaterThanOrEqualTo(4711);
    int taken = HashMemory.acquire(HashMemory.KIBIBYTES - 100);
    try {
      HashMemory.borrow(50, 50 * HashMemory.LONGS).close();
      assertThat(HashMemory.spareKibibytes()).isLessThanOrEqualTo(100);
    } finally {
      HashMemory.release(taken);
    }
  }

  /** A login allocates less than a fiftieth of the memory of its hash. */
  @Test
  void shouldLeaveNothingToCollect() {
    Argon2 stored = Objects.requireNonNull(Argon2.read(Argon2.newDecoy(HashCost.DEFAULT)));
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    // The first ones load classes, and lend memory that is not there yet.
    for (int i = 0; i < 5; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      assertThat(stored.matches(PASSWORD, () -> false)).isFalse();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertThat(least).isLessThan(Argon2.KIBIBYTES * 1024L / 50);
  }
}
